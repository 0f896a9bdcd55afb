package dev.evener.workloads.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.jr.ob.JSON;
import dev.evener.internal.files.JsonText;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Goes through the elements of a JSON document's large members one by one, so that the document need not be in memory. The rest of it is
 * passed over. Stateless.
 */
public final class JsonStream {
    private JsonStream() {}

    /**
     * The elements of an array that is a member of the document, which is one object.
     *
     * @param in is not closed
     * @param most bytes of it
     * @param member empty for the document itself, if that is an array
     * @param each is given each element; false to stop
     * @return whether the member is there
     * @throws DocumentException if it is no array, a value is null, or the document is too large or no JSON
     */
    public static boolean elements(InputStream in, long most, String member, Predicate<Node> each) throws IOException {
        return member(in, most, member, JsonToken.START_ARRAY, "an array in brackets", (name, node) -> each.test(node));
    }

    /** The same of the members of an object that is one. */
    public static boolean members(InputStream in, long most, String member, BiPredicate<String, Node> each)
            throws IOException {
        return member(in, most, member, JsonToken.START_OBJECT, "an object in braces", each);
    }

    private static boolean member(
            InputStream in, long most, String member, JsonToken start, String expected, BiPredicate<String, Node> each)
            throws IOException {
        try (JsonParser parser =
                JSON.std.createParser(new Bounded(in, most)).disable(JsonParser.Feature.AUTO_CLOSE_SOURCE)) {
            boolean found = false;
            try {
                JsonToken first = parser.nextToken();
                if (member.isEmpty()) {
                    boolean unused = first == start && values(parser, member, each);
                    return first == start;
                }
                if (first != JsonToken.START_OBJECT) {
                    throw new DocumentException("", "is not one JSON object in braces");
                }
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    boolean wanted = parser.currentName().equals(member);
                    JsonToken token = parser.nextToken();
                    if (!wanted || token == JsonToken.VALUE_NULL) {
                        parser.skipChildren();
                        continue;
                    }
                    if (token != start) {
                        throw new DocumentException(member, "expected " + expected);
                    }
                    found = true;
                    if (!values(parser, member, each)) {
                        return true;
                    }
                }
                if (parser.nextToken() != null) {
                    throw new DocumentException("", "something follows the JSON object");
                }
                return found;
            } catch (JsonProcessingException e) {
                throw new DocumentException(
                        "", String.valueOf(JsonText.damaged(e, parser).getMessage()));
            }
        }
    }

    private static boolean values(JsonParser parser, String member, BiPredicate<String, Node> each) throws IOException {
        int count = 0;
        while (true) {
            JsonToken token = parser.nextToken();
            if (token == JsonToken.END_ARRAY || token == JsonToken.END_OBJECT) {
                return true;
            }
            boolean named = token == JsonToken.FIELD_NAME;
            String name = named ? parser.currentName() : "";
            String path = member + (named ? "." + name : "[" + count + "]");
            token = named ? parser.nextToken() : token;
            if (token == JsonToken.VALUE_NULL) {
                throw new DocumentException(path, "null is no value here");
            }
            if (!each.test(name, new Node(path, JSON.std.anyFrom(parser)))) {
                return false;
            }
            count++;
        }
    }

    /** Not more bytes than this. */
    private static final class Bounded extends FilterInputStream {
        private final long most;
        private long read;

        Bounded(InputStream in, long most) {
            super(in);
            this.most = most;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int count) throws IOException {
            int some = in.read(target, from, count);
            read += Math.max(0, some);
            if (read > most) {
                throw new DocumentException("", "is larger than " + most + " bytes");
            }
            return some;
        }
    }
}
