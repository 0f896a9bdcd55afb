package dev.evener.workloads.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A real browser without a window. It gets pages from a server in this process, which is also its only way to the network,
 * and refuses everything but the page; what the page asked for, and not the browser for itself, its own log tells.
 */
final class Browser {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final long LIMIT_SECONDS = 600; // for one that hangs, not for a slow machine
    private static final String ORIGIN = "http://report.test";
    private static final Pattern ADDRESS = Pattern.compile("\"url\":\"([^\"]*)\"");
    private static final Pattern FOUND = Pattern.compile("<pre id=\"probe\">([A-Za-z0-9+/=]*)</pre>");

    /**
     * A page as it was shown.
     *
     * @param found what the probe returned
     * @param requests addresses that the page asked for, beside its own
     * @param console what the browser complained about
     */
    record Shown(Map<String, Object> found, List<String> requests, List<String> console) {}

    private Browser() {}

    private static Path program() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(() -> abort("BrowserTest, as Chromium is not installed"));
    }

    /**
     * Shows a page and asks it something.
     *
     * @param probe body of a function that returns a plain object, run when the page has been loaded
     */
    static Shown show(String html, boolean dark, String probe, Path folder) throws IOException, InterruptedException {
        Path out = folder.resolve("dom.html");
        Path err = folder.resolve("browser.log");
        Path log = folder.resolve("net.json");
        try (Server server = new Server(withProbe(html, probe))) {
            ProcessBuilder builder = new ProcessBuilder(
                    program().toString(),
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    "--disable-default-apps",
                    "--disable-extensions",
                    "--user-data-dir=" + folder.resolve("profile"),
                    "--window-size=1200,900",
                    "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1),
                    "--proxy-server=http://127.0.0.1:" + server.port(),
                    "--proxy-bypass-list=<-loopback>",
                    "--enable-logging=stderr",
                    "--log-net-log=" + log,
                    "--dump-dom",
                    ORIGIN + "/page.html");
            builder.environment().remove("LD_PRELOAD"); // is there for the JVM
            Process process = builder.redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                fail("the browser did not end: " + Files.readString(err));
            }
            assertEquals(0, process.exitValue(), () -> text(err));
            delete(folder.resolve("profile"));
            List<String> console = Files.readAllLines(err).stream()
                    .filter(line -> line.contains(":CONSOLE"))
                    .toList();
            return new Shown(found(Files.readString(out), err), requests(log), console);
        }
    }

    /** Processes of the browser's that outlive it may still put files there, while JUnit deletes the folder. */
    private static void delete(Path profile) throws IOException, InterruptedException {
        for (int tries = 0; Files.exists(profile); tries++) {
            try (Stream<Path> all = Files.walk(profile)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            } catch (IOException | UncheckedIOException e) {
                assertTrue(tries < 1000, () -> "somebody still writes to " + profile + ": " + e);
                Thread.sleep(20);
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Map<String, Object> found(String dom, Path err) throws IOException {
        Matcher matcher = FOUND.matcher(dom);
        assertTrue(matcher.find(), () -> "the probe left nothing: " + text(err));
        byte[] json = Base64.getDecoder().decode(matcher.group(1));
        return JSON.std.mapFrom(new String(json, StandardCharsets.UTF_8));
    }

    /** The log has a line an event, and says for each request who caused it. */
    private static List<String> requests(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains("\"initiator\":\"" + ORIGIN))
                .map(ADDRESS::matcher)
                .filter(Matcher::find)
                .map(address -> address.group(1))
                .toList();
    }

    /** The page with a script of ours, which its policy is told to allow; all else stays forbidden. */
    private static String withProbe(String html, String probe) {
        String script = "const found = (() => {" + probe + "})();"
                + "const pre = document.createElement('pre'); pre.id = 'probe';"
                + "pre.textContent = btoa([...new TextEncoder().encode(JSON.stringify(found))]"
                + ".map(b => String.fromCharCode(b)).join(''));"
                + "document.body.append(pre);";
        String allowed = html.replace("script-src '", "script-src '" + HtmlReport.digest(script) + "' '");
        int end = allowed.lastIndexOf("</body>");
        return allowed.substring(0, end) + "<script>" + script + "</script>" + allowed.substring(end);
    }

    /** Serves one page, as a proxy, and refuses all else. */
    private static final class Server implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final byte[] page;

        Server(String page) throws IOException {
            this.page = page.getBytes(StandardCharsets.UTF_8);
            Thread thread = new Thread(this::serve, "test-server");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return socket.getLocalPort();
        }

        private void serve() {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    // Each by itself, as browsers open connections ahead of any need and leave them open.
                    Thread thread = new Thread(() -> answerAndClose(client), "test-server-client");
                    thread.setDaemon(true);
                    thread.start();
                } catch (IOException e) {
                    // Closed by us.
                }
            }
        }

        private void answerAndClose(Socket client) {
            try (client) {
                answer(client);
            } catch (IOException e) {
                // Closed by the browser: without a page, the test fails.
            }
        }

        private void answer(Socket client) throws IOException {
            client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            String request;
            try {
                request = in.readLine();
                for (String line = request; line != null && !line.isEmpty(); ) {
                    line = in.readLine();
                }
            } catch (SocketTimeoutException e) {
                return; // it was never used
            }
            if (request == null) {
                return;
            }
            boolean known = request.startsWith("GET " + ORIGIN + "/page.html ");
            byte[] body = known ? page : new byte[0];
            OutputStream out = client.getOutputStream();
            out.write(((known ? "HTTP/1.1 200 OK" : "HTTP/1.1 404 Not Found")
                            + "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + body.length
                            + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(body);
            out.flush();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
