package dev.evener.internal.cl;

import dev.evener.internal.device.DeviceChoice;
import dev.evener.internal.files.AtomicFiles;
import dev.evener.internal.files.UserFolders;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jocl.CL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads JOCL and the OpenCL library, once. Thread-safe. */
public final class ClLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(ClLibrary.class);

    /** One for all class loaders of a JVM, as this text is. For what drivers, or a JOCL that several of them share, do not do twice at once. */
    static final Object JVM = "dev.evener.internal.cl";

    private static final String UNUSABLE = "OpenCL cannot be used, since ";
    private static final String LINK_ERROR = UnsatisfiedLinkError.class.getName() + ": ";
    private static @Nullable String problem;
    private static boolean probed;

    private ClLibrary() {}

    /** Why OpenCL cannot be used, or null if it can. */
    public static @Nullable String problem() {
        synchronized (JVM) {
            if (!probed) {
                probed = true;
                problem = load();
            }
            return problem;
        }
    }

    private static @Nullable String load() {
        Path cache = UserFolders.cache();
        AtomicFiles.removeStale(cache); // here, since every start comes by, and most write nothing to it
        Path cached = cache.resolve("native");
        LoaderLibrary loader = LoaderLibrary.ofThisProcess();
        String missing = loader == null ? null : loader.problem();
        if (missing != null) {
            LOG.debug("JOCL is not loaded: {}", missing);
            return DeviceChoice.NO_LIBRARY;
        }
        try {
            NativeLibrary.load(
                    System.getProperty(NativeLibrary.PATH, ""),
                    List.of(cached, Path.of(System.getProperty("java.io.tmpdir"))));
            int[] count = new int[1];
            int status = CL.clGetPlatformIDs(0, null, count);
            LOG.debug("clGetPlatformIDs: status {}, {} platforms", status, count[0]);
            return null;
        } catch (IOException
                | InvalidPathException e) { // left to itself JOCL would take what lies in the temporary folder
            LOG.debug("JOCL's library could not be provided", e);
            return UNUSABLE + "JOCL's native library could not be unpacked: " + e.getMessage();
        } catch (LinkageError e) {
            LOG.debug("OpenCL could not be loaded", e);
            return reason(e);
        } catch (RuntimeException e) { // JOCL's own exceptions, if the application switched them on: no platform
            LOG.debug("OpenCL answered with an error", e);
            return null;
        }
    }

    /** What JOCL says goes over many lines, with stacks: of these the last that says what the linker did. */
    static String reason(LinkageError e) {
        String text = String.valueOf(e.getMessage());
        if (text.contains("java/util/logging")) {
            return UNUSABLE
                    + "this Java has no module java.logging, which JOCL needs: jlink --add-modules java.logging";
        }
        if (text.contains("IllegalCallerException")) { // from JDK 24 on
            return UNUSABLE
                    + "this JVM denies native access to JOCL: start Java with --enable-native-access=ALL-UNNAMED,"
                    + " or, where JOCL is on the module path, =jocl";
        }
        if (text.contains("Implementation library could not be loaded")) {
            return DeviceChoice.NO_LIBRARY;
        }
        String last = text.lines()
                .filter(line -> line.contains(LINK_ERROR))
                .reduce((earlier, later) -> later)
                .orElseGet(() -> text.lines().findFirst().orElse(""));
        return UNUSABLE + "JOCL's native library could not be loaded: "
                + last.substring(Math.max(0, last.indexOf(LINK_ERROR))).replace(LINK_ERROR, "");
    }
}
