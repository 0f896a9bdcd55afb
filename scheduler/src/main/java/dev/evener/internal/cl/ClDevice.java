package dev.evener.internal.cl;

import dev.evener.DeviceInfo;
import dev.evener.internal.DevicePart;
import java.util.Locale;
import org.jocl.cl_device_id;
import org.jocl.cl_platform_id;

/**
 * A device and its handles.
 *
 * @param exactDivision whether it can be asked for correctly rounded division and square root
 * @param platformVersion the platform's version, which a program binary depends on
 */
public record ClDevice(
        cl_platform_id platform, cl_device_id handle, DeviceInfo info, boolean exactDivision, String platformVersion) {

    /**
     * Whether its driver must not be used by JOCL's hidden threads, of which every non-blocking transfer has one: Oclgrind
     * runs commands in any thread that waits for one, and aborts the process when two do.
     */
    public boolean needsBlockingTransfers() {
        return info.platform().toLowerCase(Locale.ROOT).contains("oclgrind");
    }

    /** The same device with a corrected description. */
    public ClDevice with(DeviceInfo corrected) {
        return part(handle, corrected);
    }

    /** A sub-device of it. */
    ClDevice part(cl_device_id subDevice, DeviceInfo description) {
        return new ClDevice(platform, subDevice, description, exactDivision, platformVersion);
    }

    /** Whether it is a sub-device, which has to be released. */
    boolean isPart() {
        return !DevicePart.of(info.id()).isWhole();
    }
}
