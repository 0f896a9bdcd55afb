package dev.evener.workloads.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {text()};
    }

    /** Name and version. */
    static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return "evener " + (version == null ? "(not packaged)" : version);
    }
}
