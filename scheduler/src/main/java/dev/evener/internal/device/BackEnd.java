package dev.evener.internal.device;

import dev.evener.Contexts;
import dev.evener.DeviceInfo;
import dev.evener.DeviceInfo.Partitioning;
import dev.evener.internal.PageLocked;
import dev.evener.internal.run.Lane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Devices beside the JVM's threads: a service of the module that opens them. What one does not implement it does not
 * have.
 * One object serves all that is opened. Any thread.
 */
public interface BackEnd {
    /**
     * All of them, under every runtime, in the order in which their library lists them.
     *
     * @param problems takes why there are no others, in one line each
     */
    List<DeviceInfo> devices(List<String> problems);

    /** How one of them can be opened in parts; a part of one cannot. */
    default Partitioning partitioning(DeviceInfo device) {
        return Partitioning.NONE;
    }

    /**
     * What one of them got wrong in its self-test; null if nothing. The first time that this user sees its driver the
     * test takes a second, and a minute if it hangs.
     */
    default @Nullable String fault(DeviceInfo device) {
        return null;
    }

    /** What one of them was measured to do in its self-test; null if nobody knows. Takes as long as {@link #fault}. */
    default @Nullable DeviceSpeed speed(DeviceInfo device) {
        return null;
    }

    /**
     * Opens a lane for each.
     *
     * @param chosen those of {@link #devices}, or parts of them; maybe none
     * @throws dev.evener.EvenerException if one cannot be opened
     */
    default Opened open(List<DeviceInfo> chosen, Options options) {
        return new Opened(List.of(), List.of(), List.of(), null);
    }

    /** Whether {@link Options#checked} can be had. */
    default boolean canCheck() {
        return false;
    }

    /**
     * What is at stake where a driver has taken signal handlers of this JVM, which is logged once; null where none has.
     *
     * @param used the devices that were opened
     */
    default @Nullable String signalProblem(List<DeviceInfo> used) {
        return null;
    }

    /**
     * What was opened.
     *
     * @param lanes one for each device, in their order
     * @param contexts ids of the devices that share a context, for each context
     * @param notes why devices of a platform do not all share one, in a line each
     * @param pageLocked page-locked memory for what the first lane with memory of its own is sent, which ends with the
     *     lanes; null if there is no such lane, or if they were opened without
     */
    record Opened(
            List<Lane> lanes,
            List<List<String>> contexts,
            List<String> notes,
            @Nullable PageLocked pageLocked) {}

    /**
     * What lanes are told when they are opened.
     *
     * @param allowSharing false to move data through transfers even where memory could be shared
     * @param mostForCopies bytes of a device's memory in which it may keep copies of host buffers between chunks
     * @param pieceBytes bytes that each piece of a chunk moves, however few; 0 for what suits the chunk
     * @param pinnedFrom fewest bytes of a piece of host memory for which pages are locked; {@link Long#MAX_VALUE} for
     *     never
     * @param contexts which devices of a platform share a context
     * @param checked whether mistakes of kernels are looked for
     * @param firstRun whether kernels run in guarded memory before they first run on the application's
     */
    record Options(
            boolean allowSharing,
            long mostForCopies,
            long pieceBytes,
            long pinnedFrom,
            Contexts contexts,
            boolean checked,
            boolean firstRun) {}
}
