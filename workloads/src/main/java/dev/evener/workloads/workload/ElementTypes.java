package dev.evener.workloads.workload;

import dev.evener.ElementType;
import java.util.List;

/** The parameter of workloads over several types. Stateless. */
final class ElementTypes {
    private ElementTypes() {}

    /** The type of the elements, by its name in OpenCL C; the first is the default. */
    static Parameter<ElementType> parameter(ElementType... types) {
        return Parameter.choice("type", "type of the elements", types[0], List.of(types), ElementType::openClName);
    }
}
