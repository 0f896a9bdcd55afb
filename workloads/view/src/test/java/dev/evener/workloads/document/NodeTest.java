package dev.evener.workloads.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** JSON by path: what is there is found, what is wrong is said at its place. */
class NodeTest {
    private static final Node NODE =
            Node.object("{\"a\": {\"list\": [1, \"two\", {\"deep\": true}], \"n\": null}, \"x\": 1.5}");

    private static String problem(Consumer<Node> what) {
        return message(() -> what.accept(NODE));
    }

    private static String message(Runnable what) {
        return String.valueOf(assertThrows(DocumentException.class, what::run).getMessage());
    }

    @Test
    void whatIsThereIsFound() {
        List<Node> list = NODE.get("a").get("list").list(0, 3);
        assertEquals(1, list.get(0).whole(0, 9));
        assertEquals("two", list.get(1).text());
        assertTrue(list.get(2).get("deep").flag());
        assertEquals("a.list[2].deep: so", list.get(2).get("deep").wrong("so").getMessage());
        assertEquals("none", NODE.get("a").find("n", "none", Node::text));
        Node both = Node.layered(new Node("", Map.of("x", new Node("--x", 2))), NODE);
        assertEquals("--x: so", both.get("x").wrong("so").getMessage(), "the first of that name");
        assertEquals(List.of("x", "a"), both.names());
        assertEquals(1.5, NODE.get("x").number(0, 2));
        assertEquals("1.5", NODE.get("x").scalar());
        assertNull(NODE.find("y"));
        assertNull(NODE.get("a").find("n"), "null is as good as nothing");
        assertEquals(List.of("list", "n"), NODE.get("a").names());
    }

    @Test
    void whatIsWrongIsSaidAtItsPlace() {
        Function<Node, Node> list = n -> n.get("a").get("list");
        assertEquals("'y' is missing", problem(n -> n.get("y")));
        assertEquals("a: 'n' is missing", problem(n -> n.get("a").get("n")));
        assertEquals(
                "a.list: has 3 elements; expected 0 to 2",
                problem(n -> list.apply(n).list(0, 2)));
        assertEquals(
                "a.list: expected a string in quotes, not an array",
                problem(n -> list.apply(n).text()));
        assertEquals(
                "x: expected an array in brackets, not 1.5",
                problem(n -> n.get("x").list(0, 9)));
        assertEquals(
                "x: expected an object in braces, not 1.5",
                problem(n -> n.get("x").names()));
        assertEquals(
                "x: expected true or false, not 1.5", problem(n -> n.get("x").flag()));
        assertEquals(
                "x: expected a whole number from 0 to 9, not 1.5",
                problem(n -> n.get("x").whole(0, 9)));
        assertEquals(
                "x: expected a number from 2.0 to 3.0, not 1.5",
                problem(n -> n.get("x").number(2, 3)));
        assertEquals(
                "a: expected one value, not an object", problem(n -> n.get("a").scalar()));
        assertEquals(
                "a: there is no 'list' (did you mean 'lists'?); expected lists, n",
                problem(n -> n.get("a").only(List.of("lists", "n"))));
        assertEquals(
                "line[1]: null is no value here",
                message(() -> Node.object("{\"line\":[1,null]}").get("line").list(0, 9)));
    }

    @Test
    void whatIsNoJsonIsRefusedWithLineAndColumn() {
        assertTrue(message(() -> Node.object("{\n  \"a\": ?}")).startsWith("line 2, column "));
        assertTrue(message(() -> Node.object("{} x")).contains("line 1, column 5"));
        assertEquals("line 1, column 4: something follows the JSON object", message(() -> Node.object("{} 1")));
        assertEquals("is not one JSON object in braces", message(() -> Node.object("[1]")));
        assertTrue(message(() -> Node.object("")).contains("JSON"));
        assertTrue(message(() -> Node.object("{\"a\":1,\"a\":2}")).contains("a"), "the same name twice");
        assertTrue(message(() -> Node.object("{\"a\":" + "[".repeat(100_000))).contains("JSON"), "nested too deep");
        assertTrue(message(() -> Node.object("{\"a\":1e999999}").get("a").number(0, 1e308))
                .contains("a: expected a number"));
    }

    @Test
    void hostileTextIsSafeOnATerminal() {
        String message = message(() -> Node.object("{\"a\\u001b[2J\\n\": 1}").only(List.of("b")));
        assertEquals("there is no 'a?[2J?'; expected b", message);
        assertEquals(
                1003, new DocumentException("", "x".repeat(5000)).getMessage().length());
    }
}
