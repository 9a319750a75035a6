package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file {@code .kafka_cleanshutdown}: the broker of this epoch closed all logs of the directory (R7.4, R9.24). */
final class CleanShutdownFile {
    static final String NAME = ".kafka_cleanshutdown";
    private static final Pattern VERSION = Pattern.compile("\"version\"\\s*:\\s*0\\b");
    private static final Pattern EPOCH = Pattern.compile("\"brokerEpoch\"\\s*:\\s*(\\d{1,18})\\b");

    private CleanShutdownFile() {}

    /** Empty if the file is missing or unreadable. */
    static OptionalLong read(Disk disk, Path directory) throws IOException {
        try {
            String text = new String(disk.read(directory.resolve(NAME)), StandardCharsets.UTF_8);
            Matcher epoch = EPOCH.matcher(text);
            return VERSION.matcher(text).find() && epoch.find()
                    ? OptionalLong.of(Long.parseLong(epoch.group(1)))
                    : OptionalLong.empty();
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        }
    }

    /** Durable on return. */
    static void write(Disk disk, Path directory, long brokerEpoch) throws IOException {
        String text = "{\"version\":0,\"brokerEpoch\":" + brokerEpoch + "}";
        disk.replace(directory.resolve(NAME), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Durable on return. */
    static void delete(Disk disk, Path directory) throws IOException {
        disk.delete(directory.resolve(NAME));
        disk.syncDirectory(directory);
    }
}
