package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Whether everything that is there is as it must be. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Checks checksums, the order of indices and terms, the chain rule, the invariants I5, I6, I7 and I11",
            "along the whole history, every snapshot against the entries before it, and the controllers against",
            "each other. Says where something is wrong and then ends with status 1."
        },
        footer = {"", "Examples:", "  metadata-log.sh verify", "  metadata-log.sh verify --dir DIR1 --dir DIR2"})
final class VerifyCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        List<MetadataSource> sources = options.openAll(output);
        try {
            List<Verification> verified = new ArrayList<>();
            for (MetadataSource source : sources) {
                Verification verification = new Verification(source, output);
                verification.run();
                verified.add(verification);
                tell(verification, output);
            }
            boolean agree = true;
            // Each pair: what two of them have, a third may lack.
            for (int i = 0; i < sources.size(); i++) {
                for (int j = i + 1; j < sources.size(); j++) {
                    agree &= new Agreement(sources.get(i), sources.get(j), output).check();
                }
            }
            if (!output.json() && sources.size() > 1 && agree) {
                output.quick("the " + sources.size() + " controllers agree");
            }
            conclude(output);
        } finally {
            for (MetadataSource source : sources) {
                source.close();
            }
        }
        return output.status();
    }

    private static void tell(Verification verification, Output output) {
        if (output.json()) {
            output.quick(Json.of(verification.json()));
        } else {
            output.quick(verification.text());
        }
    }

    private static void conclude(Output output) {
        long damages = output.findings().stream().filter(Finding::isDamage).count();
        if (output.json()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("sound", damages == 0);
            row.put("damages", damages);
            output.quick(Json.of(row));
        } else if (damages == 0) {
            output.quick(output.style().good("sound"));
        } else {
            output.quick(output.style().bad(damages == 1 ? "1 damage" : damages + " damages"));
        }
    }
}
