import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.iceberg.encryption.AesGcmInputFile;
import org.apache.iceberg.encryption.AesGcmOutputFile;
import org.apache.iceberg.encryption.Ciphers;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.inmemory.InMemoryOutputFile;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Holds the streams of the command {@code abreast} against those of Iceberg's own classes: {@code Streams ABREAST [long]}, in a folder of
 * its own.
 *
 * <p>Each side opens all that the other one wrote, whole and by ranges. Both refuse streams that were changed or cut; where they
 * differ, abreast is the one that refuses.
 */
public final class Streams {
    private static final int BLOCK = Ciphers.PLAIN_BLOCK_SIZE, SEALED_BLOCK = Ciphers.CIPHER_BLOCK_SIZE, HEADER = 8;
    private static final int MORE = SEALED_BLOCK - BLOCK;

    private static final Path STREAM = Path.of("stream"), OPENED = Path.of("opened"), KEY = Path.of("key");
    private static final Random RANDOM = new Random(45);

    private static String abreast;
    private static int ranges, refused;

    private static void check(boolean right, String text) {
        if (!right) {
            throw new AssertionError(text);
        }
    }

    private static byte[] random(int len) {
        byte[] bytes = new byte[len];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** The key of a stream and its AAD prefix; Iceberg takes null for one that is empty. */
    private record Keys(byte[] key, byte[] prefix) {
        /** Writes a stream with Iceberg, in pieces of any length. */
        byte[] writeTheirs(byte[] message) throws IOException {
            InMemoryOutputFile file = new InMemoryOutputFile();
            try (OutputStream out = new AesGcmOutputFile(file, key, prefix).create()) {
                for (int at = 0; at < message.length; ) {
                    int len = Math.min(message.length - at, 1 << RANDOM.nextInt(22));
                    if (len == 1) {
                        out.write(message[at]);
                    } else {
                        out.write(message, at, len);
                    }
                    at += len;
                }
            }
            return file.toByteArray();
        }

        /** A stream as a file of Iceberg, with its trusted length. Of null, that of the stream: Iceberg itself asks for a length. */
        InputFile theirs(byte[] stream, Long trusted) {
            return new AesGcmInputFile(new InMemoryInputFile(stream), key, prefix, trusted == null ? (Long) (long) stream.length : trusted);
        }

        /** Opens a stream with Iceberg. */
        byte[] openTheirs(byte[] stream, Long trusted) throws IOException {
            try (SeekableInputStream in = theirs(stream, trusted).newStream()) {
                return in.readAllBytes();
            }
        }

        /** Runs a command of abreast on streams of these keys. */
        Run run(String command, String... more) throws IOException, InterruptedException {
            Files.write(KEY, key);
            List<String> words = new ArrayList<>(List.of(abreast, command, "--format", "ags1", "-k", KEY.toString()));
            if (prefix != null && prefix.length > 0) {
                words.addAll(List.of("--aad-prefix", HexFormat.of().formatHex(prefix)));
            }
            words.addAll(List.of(more));
            Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes());
            return new Run(process.waitFor(), said.strip());
        }

        /** Writes a stream with abreast. */
        byte[] writeOurs(byte[] message) throws Exception {
            Files.write(OPENED, message);
            run("seal", OPENED.toString(), "-o", STREAM.toString(), "-f").succeeds();
            return Files.readAllBytes(STREAM);
        }

        /** Opens a stream with abreast, or a range of it; null if it is refused. */
        byte[] openOurs(byte[] stream, Long trusted, String... range) throws Exception {
            Files.write(STREAM, stream);
            Files.deleteIfExists(OPENED);
            List<String> words = new ArrayList<>(List.of(STREAM.toString(), "-o", OPENED.toString()));
            if (trusted != null) {
                words.addAll(List.of("--sealed-length", trusted.toString()));
            }
            words.addAll(List.of(range));
            Run run = run("open", words.toArray(String[]::new));
            if (run.status == 3) {
                check(!Files.exists(OPENED), "a refused stream left a file");
                return null;
            }
            run.succeeds();
            return Files.readAllBytes(OPENED);
        }
    }

    /** The exit status of a command, and its words. */
    private record Run(int status, String said) {
        void succeeds() {
            check(status == 0, "abreast ended with " + status + ": " + said);
        }
    }

    /** Opens a message both ways, whole and by ranges. */
    private static void bothWays(Keys keys, byte[] message) throws Exception {
        String of = message.length + " bytes, a key of " + keys.key.length;
        byte[] theirs = keys.writeTheirs(message), ours = keys.writeOurs(message);
        int len = HEADER + message.length + Math.max(1, (message.length + BLOCK - 1) / BLOCK) * MORE;
        check(theirs.length == len && ours.length == len, "length of streams: " + of);
        for (byte[] stream : new byte[][] {theirs, ours}) {
            for (Long trusted : new Long[] {(long) len, null}) {
                check(keys.theirs(stream, trusted).getLength() == message.length, "length by Iceberg: " + of);
                check(Arrays.equals(keys.openTheirs(stream, trusted), message), "opened by Iceberg: " + of);
            }
        }
        check(Arrays.equals(keys.openOurs(theirs, (long) len), message), "opened by abreast: " + of);
        int start = RANDOM.nextInt(message.length + 1), end = start + RANDOM.nextInt(message.length - start + 1);
        byte[] part = keys.openOurs(theirs, (long) len, "--range", start + ".." + end);
        check(Arrays.equals(part, Arrays.copyOfRange(message, start, end)), "a range by abreast: " + of);
        try (SeekableInputStream in = keys.theirs(ours, (long) len).newStream()) {
            for (int border : new int[] {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, message.length, start, end, start}) {
                if (border <= message.length) {
                    in.seek(border);
                    int least = Math.min(message.length - border, 1 + RANDOM.nextInt(3 * BLOCK / 2));
                    byte[] read = in.readNBytes(least);
                    check(Arrays.equals(read, Arrays.copyOfRange(message, border, border + least)), "a seek by Iceberg: " + of);
                    check(in.getPos() == border + least, "position by Iceberg: " + of);
                    ++ranges;
                }
            }
        }
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Checks that both sides take a stream as they should: a message is that which opens, and null is a refusal. */
    private static void ends(String name, Keys keys, byte[] stream, Long trusted, byte[] theirs, byte[] ours) throws Exception {
        byte[] opened;
        try {
            opened = keys.openTheirs(stream, trusted);
        } catch (IOException | IllegalStateException error) {
            opened = null;
        } catch (RuntimeException error) {
            check(error.getMessage().startsWith("GCM tag check failed"), name + ": " + error);
            opened = null;
        }
        check(Arrays.equals(opened, theirs), name + ": Iceberg " + (opened == null ? "refuses" : "opens " + opened.length + " bytes"));
        opened = keys.openOurs(stream, trusted);
        check(Arrays.equals(opened, ours), name + ": abreast " + (opened == null ? "refuses" : "opens " + opened.length + " bytes"));
        ++refused;
    }

    /** Checks streams that were changed, moved or cut. */
    private static void changes() throws Exception {
        Keys keys = new Keys(random(32), random(8));
        byte[] message = random(2 * BLOCK + 5), stream = keys.writeTheirs(message);
        long len = stream.length;
        int first = HEADER + SEALED_BLOCK, second = first + SEALED_BLOCK;
        for (int at : new int[] {0, 4, HEADER, HEADER + 12, first - 1, first, first + 11, second + 12, stream.length - 1}) {
            byte[] changed = stream.clone();
            changed[at] ^= 1;
            ends("a changed byte " + at, keys, changed, len, null, null);
        }
        byte[] header = Arrays.copyOf(stream, HEADER), rest = Arrays.copyOfRange(stream, second, stream.length);
        byte[] block = Arrays.copyOfRange(stream, HEADER, first), other = Arrays.copyOfRange(stream, first, second);
        ends("blocks in another order", keys, join(header, other, block, rest), len, null, null);
        ends("another key", new Keys(random(32), keys.prefix), stream, len, null, null);
        ends("another AAD prefix", new Keys(keys.key, random(8)), stream, len, null, null);
        ends("no AAD prefix", new Keys(keys.key, null), stream, len, null, null);
        ends("a trusted length of one byte more", keys, stream, len + 1, null, null);
        ends("a trusted length of one byte less", keys, stream, len - 1, null, null);

        for (int cut : new int[] {0, HEADER - 1, HEADER, HEADER + 27, HEADER + 28, first, second, second + 29, stream.length - 1}) {
            byte[] part = Arrays.copyOf(stream, cut);
            ends("cut to " + cut, keys, part, len, null, null);
            // Nothing marks the end, so that a cut between two blocks cannot be seen by the stream alone.
            byte[] opened = cut == first || cut == second ? Arrays.copyOf(message, (cut / SEALED_BLOCK) * BLOCK) : null;
            ends("cut to " + cut + ", of no trusted length", keys, part, null, opened, opened);
        }

        // Differences: Iceberg reads what the length says and looks at nothing behind it, and takes blocks that no writer makes.
        byte[] whole = Arrays.copyOf(message, BLOCK);
        ends("bytes behind the trusted length", keys, join(stream, random(5)), len, message, null);
        ends("blocks behind the trusted length", keys, stream, (long) first, whole, null);
        for (int more : new int[] {1, 27, 28}) {
            ends(more + " bytes behind a full block", keys, Arrays.copyOf(stream, first + more), null, whole, null);
        }
        byte[] empty = new Ciphers.AesGcmEncryptor(keys.key).encrypt(new byte[0], join(keys.prefix, new byte[] {1, 0, 0, 0}));
        ends("an empty block behind a full one", keys, join(header, block, empty), (long) first + MORE, whole, null);
    }

    public static void main(String[] args) throws Exception {
        abreast = args[0];
        boolean isLong = args.length > 1;
        int count = 0;
        byte[][] prefixes = {random(16), null, new byte[0], random(1), random(300)};
        for (int len : new int[] {0, 1, 15, 16, 17, MORE, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK - 1, 2 * BLOCK, 5 * BLOCK + 77}) {
            byte[] message = random(len);
            for (int other = 0; other < (isLong ? 3 * prefixes.length : 1); ++other, ++count) {
                bothWays(new Keys(random(16 + 8 * (count % 3)), prefixes[count % prefixes.length]), message);
            }
        }
        for (int more = isLong ? 60 : 6; more > 0; --more, ++count) {
            int len = (int) Math.exp(RANDOM.nextDouble() * Math.log(6 * BLOCK));
            bothWays(new Keys(random(16 + 8 * (count % 3)), random(RANDOM.nextInt(20))), random(len));
        }
        changes();
        System.out.println(count + " messages both ways, " + ranges + " ranges by seek, " + refused + " streams that were changed or cut");
    }
}
