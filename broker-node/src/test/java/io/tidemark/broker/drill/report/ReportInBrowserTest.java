package io.tidemark.broker.drill.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.broker.drill.plan.Measure;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The report's page as a real browser draws it. Needs Chromium; without it fails, unless it is left out. */
@DisabledIfSystemProperty(named = "tidemark.browser.omit", matches = "true")
class ReportInBrowserTest {
    private static final List<String> BROWSERS = List.of("chromium", "chromium-browser", "google-chrome");

    /** Runs in the page: what sticks out, and which words of the picture lie over one another. */
    private static final String PROBE = """
            <script>
            window.addEventListener("load", () => {
              const picture = document.querySelector("svg").getBoundingClientRect();
              const words = [...document.querySelectorAll("svg text")]
                .map(text => ({name: text.textContent, box: text.getBoundingClientRect()}));
              const outside = words.filter(({box}) => box.left < picture.left - 1 || box.right > picture.right + 1
                || box.top < picture.top - 1 || box.bottom > picture.bottom + 1);
              const overlapping = [];
              words.forEach((one, i) => words.slice(0, i).forEach(other => {
                const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
                const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
                if (wide > 1 && high > 3) overlapping.push(other.name + " / " + one.name);
              }));
              const told = document.createElement("pre");
              told.id = "probe";
              told.textContent = JSON.stringify({
                sideways: document.documentElement.scrollWidth - window.innerWidth,
                words: words.length, outside: outside.map(({name}) => name), overlapping});
              document.body.appendChild(told);
            });
            </script>
            </body>""";

    @TempDir
    Path directory;

    private static String page(long lost) {
        return HtmlReport.of(ReportsTest.outcome(Map.of(Measure.LOST, lost), 5, List.of()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1280, 700})
    void nothingSticksOutAndNoWordsLieOverOthers(int width) throws Exception {
        Path file = Files.writeString(directory.resolve("probed.html"), page(2).replace("</body>", PROBE));
        String document = browse(file, width, "--dump-dom");
        String told = document.substring(document.indexOf("<pre id=\"probe\">") + 16);
        JsonNode probe = new ObjectMapper().readTree(told.substring(0, told.indexOf("</pre>")));
        assertThat(probe.path("words").asInt()).isGreaterThan(10);
        assertThat(probe.path("outside")).isEmpty();
        assertThat(probe.path("overlapping")).isEmpty();
        assertThat(probe.path("sideways").asInt()).isZero();
    }

    /** The colours of the verdict, of a leader's bar and of a fault's band, where each covers something. */
    @Test
    void theVerdictAndTheTimelineCanBeSeen() throws Exception {
        BufferedImage held = picture(0);
        BufferedImage not = picture(2);
        assertThat(pixels(held, 0x134f8c)).as("leads").isGreaterThan(500);
        assertThat(pixels(held, 0xc8553d)).as("the edge of the fault's band").isGreaterThan(50);
        assertThat(pixels(held, 0xb3261e)).as("red, and nothing is wrong").isLessThan(pixels(not, 0xb3261e));
    }

    private BufferedImage picture(long lost) throws Exception {
        Path file = Files.writeString(directory.resolve("page-" + lost + ".html"), page(lost));
        Path picture = directory.resolve("page-" + lost + ".png");
        browse(file, 1280, "--screenshot=" + picture);
        return ImageIO.read(picture.toFile());
    }

    private static int pixels(BufferedImage picture, int colour) {
        int found = 0;
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                found += (picture.getRGB(x, y) & 0xffffff) == colour ? 1 : 0;
            }
        }
        return found;
    }

    private String browse(Path page, int width, String wanted) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                browser(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + directory.resolve("profile"),
                "--window-size=" + width + ",1600",
                wanted,
                page.toUri().toString()));
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(directory.resolve("errors").toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        assertThat(process.waitFor())
                .as(() -> read(directory.resolve("errors")))
                .isZero();
        return read(out);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static String browser() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(folder -> BROWSERS.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseThrow(() -> new AssertionError("no browser: on Debian apt-get install -y chromium, or leave this"
                        + " out with -Dtidemark.browser.omit=true"));
    }
}
