package dev.evener.record;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.evener.record.Checked.WrongLine;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a Java record is an object in a file: each component is a field of its name, in order. Writer and reader both go by the
 * component's type and by what the tables here say of its name. Whatever is read must be there and be what it should be;
 * fields that no component has are passed over, as later versions of the format may add some. Immutable; any thread.
 */
final class Shape {
    /** Longer texts, such as build logs, are cut when they are written. */
    static final int LONGEST_TEXT = 8 << 10;

    private static final int MOST_DEVICES = 1024;
    private static final int MOST_PARTS = 100_000; // phases, kernels, files

    private record Range(long least, long most) {}

    private static final Range TIME = new Range(-RecordReader.LATEST, RecordReader.LATEST);

    private static Range range(String name) {
        return switch (name) {
            // Moments: before the record began, too, as clocks of devices are laid on that of the host.
            case "at", "queued", "begun", "submitted", "start", "end" -> TIME;
            case "noticeNanos", "kernelNanos", "transferNanos", "hostNanos", "buildNanos", "wallNanos", "predicted" ->
                new Range(0, RecordReader.LATEST);
            case "job", "buffer", "granule", "run", "task", "request", "result", "cores" ->
                new Range(1, Long.MAX_VALUE);
            case "device", "devices", "owner", "thief", "victim" -> new Range(0, MOST_DEVICES - 1);
            case "phase" -> new Range(0, MOST_PARTS - 1);
            case "seed" -> new Range(Long.MIN_VALUE, Long.MAX_VALUE);
            default -> new Range(0, Long.MAX_VALUE);
        };
    }

    /** Numbers that are not written where they are 0, and are 0 where they are not written; -1 for the time of notice. */
    private static final Set<String> MAY_BE_ABSENT =
            Set.of("noticeNanos", "buildNanos", "from", "before", "after", "hostFrom", "hostTo", "parts");

    private static final Set<String> MAY_BE_NULL = Set.of(
            "Header.evener",
            "DeviceInfo.uuid",
            "DeviceInfo.pci",
            "Task.distribution",
            "InputFile.sha256",
            "Planned.reason",
            "Ended.failure");

    /** Left out where they are null, or an empty list, as before there were such. */
    private static final Set<String> MAY_BE_MISSING =
            Set.of("DeviceInfo.uuid", "DeviceInfo.pci", "Submitted.buffers", "BufferUse.name", "Ended.kind");

    private static final ClassValue<Shape> ALL = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return new Shape(type);
        }
    };

    private final String name;
    private final List<Field> fields;
    private final Constructor<?> constructor;

    private Shape(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        String plain = type.getSimpleName();
        name = Character.toLowerCase(plain.charAt(0)) + plain.substring(1);
        fields = Arrays.stream(components)
                .map(component -> new Field(type, component))
                .toList();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    static Shape of(Class<?> type) {
        return ALL.get(type);
    }

    /** The type's own name, with a small letter: the kind of an event. */
    String name() {
        return name;
    }

    /** The name of the first field: the kind of a line. */
    String first() {
        return fields.get(0).name;
    }

    /**
     * Writes the fields, without what is around them.
     *
     * @param origin what times are counted from
     */
    void writeFields(JsonGenerator json, Object owner, long origin) throws IOException {
        for (int i = 0; i < fields.size(); i++) {
            fields.get(i).write(json, owner, origin);
        }
    }

    private static void write(JsonGenerator json, @Nullable Object value, long origin) throws IOException {
        if (value instanceof String text) {
            json.writeString(cut(text));
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object each : list) {
                write(json, each, origin);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> each : map.entrySet()) {
                json.writeFieldName((String) each.getKey());
                write(json, each.getValue(), origin);
            }
            json.writeEndObject();
        } else if (value instanceof Record) {
            json.writeStartObject();
            of(value.getClass()).writeFields(json, value, origin);
            json.writeEndObject();
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(cut(value.toString()));
        }
    }

    private static String cut(String value) {
        return value.length() <= LONGEST_TEXT ? value : value.substring(0, LONGEST_TEXT - 1) + "\u2026";
    }

    Object read(Map<?, ?> object) throws WrongLine {
        Object[] values = new Object[fields.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = fields.get(i).read(object);
        }
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Field {
        private final String name;
        private final SerializedString written;
        private final Class<?> type; // or that of the entries of a list
        private final boolean number;
        private final boolean list;
        private final boolean inline;
        private final boolean orNull;
        private final boolean orMissing;
        private final boolean time;
        private final Range range;
        private final @Nullable Long absent;
        private final MethodHandle getter;

        Field(Class<?> owner, RecordComponent component) {
            Class<?> own = component.getType();
            name = component.getName();
            written = new SerializedString(name);
            list = own == List.class;
            type = list ? (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0] : own;
            number = own == long.class || own == int.class;
            inline = own.isRecord() && Line.class.isAssignableFrom(owner);
            orMissing = MAY_BE_MISSING.contains(owner.getSimpleName() + "." + name);
            orNull = orMissing || MAY_BE_NULL.contains(owner.getSimpleName() + "." + name);
            time = range(name).equals(TIME);
            range = range(name);
            absent = MAY_BE_ABSENT.contains(name) ? Long.valueOf(name.equals("noticeNanos") ? -1 : 0) : null;
            try {
                getter = MethodHandles.lookup()
                        .unreflect(component.getAccessor())
                        .asType(MethodType.methodType(number ? long.class : Object.class, Object.class));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }

        void write(JsonGenerator json, Object owner, long origin) throws IOException {
            if (number) {
                long value = number(owner);
                if (absent == null || value > absent) {
                    json.writeFieldName(written);
                    json.writeNumber(time ? value - origin : value);
                }
            } else if (inline) {
                of(type).writeFields(json, content(owner), origin);
            } else if (!orMissing || !isNothing(content(owner))) {
                json.writeFieldName(written);
                Shape.write(json, content(owner), origin);
            }
        }

        private int mostEntries() {
            return name.equals("devices") || name.equals("shares") ? MOST_DEVICES : MOST_PARTS;
        }

        private static boolean isNothing(@Nullable Object content) {
            return content == null || content.equals(List.of());
        }

        /** Without a {@code Long} for each. */
        private long number(Object owner) {
            try {
                return (long) getter.invokeExact(owner);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private Object content(Object owner) {
            try {
                return (Object) getter.invokeExact(owner);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        @Nullable
        Object read(Map<?, ?> object) throws WrongLine {
            Object value = object.get(name);
            if (inline) {
                return of(type).read(object);
            }
            if (value == null && orNull) {
                return list ? List.of() : null;
            }
            if (absent != null && !object.containsKey(name)) {
                return absent;
            }
            String what = "\"" + name + "\"";
            if (!list) {
                return read(what, value);
            }
            List<Object> all = new ArrayList<>();
            for (Object each : Checked.list(what, value, mostEntries())) {
                if (type.isRecord() && !(each instanceof Map)) {
                    throw new WrongLine(what + " must hold objects, not " + Checked.shown(each));
                }
                all.add(read("an entry of " + what, each));
            }
            return all;
        }

        private Object read(String what, @Nullable Object value) throws WrongLine {
            if (type == long.class || type == Long.class) {
                return Checked.whole(what, value, range.least, range.most);
            }
            if (type == int.class || type == Integer.class) {
                return (int) Checked.whole(what, value, range.least, Math.min(range.most, Integer.MAX_VALUE));
            }
            if (type == boolean.class) {
                return Checked.flag(what, value);
            }
            if (type.isRecord()) {
                return of(type).read(Checked.object(what, value));
            }
            if (type == Map.class) {
                return Checked.texts(what, value);
            }
            return Checked.parsed(type, what, name.equals("sha256"), value);
        }
    }
}
