import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Opens a file that was sealed with a key file: {@code OpenSealed KEY SEALED MESSAGE}, three paths.
 *
 * <p>The format is that of the book's page on it, and the ciphers are those of libabreast, by JNA.
 */
public final class OpenSealed {
    private static final String MAGIC = "abreast-key/1 ";
    static final int SALT = 24, COMMITMENT = 32, NONCE = 12, TAG = 16, SEALED_CHUNK = (1 << 14) + TAG;

    /** The functions of abreast.h that are called here. A size_t has the size of a pointer: JNA takes a long for it here. */
    private interface Abreast extends Library {
        Abreast LIBRARY = Native.load("abreast", Abreast.class);

        int abreast_cipher_new(String name, byte[] key, long keyLen, String kernel, PointerByReference cipher);

        int abreast_gcm_new(Pointer cipher, PointerByReference aead);

        int abreast_aead_decrypt(
                Pointer aead, byte[] nonce, long nonceLen, byte[] aad, long aadLen, Pointer input, Pointer output, long len,
                Pointer tag, long tagLen);

        void abreast_cipher_free(Pointer cipher);

        void abreast_aead_free(Pointer aead);

        String abreast_status_text(int status);
    }

    private static final Map<String, String> CIPHERS = Map.of(
            "AEAD_AES_128_GCM", "aes-128", "AEAD_AES_256_GCM", "aes-256", "ABREAST_SERPENT_256_GCM", "serpent-256");

    private static void check(int status) {
        if (status != 0) {
            throw new IllegalArgumentException(Abreast.LIBRARY.abreast_status_text(status));
        }
    }

    /** HKDF-Expand with SHA-512 (RFC 5869, section 2.3). */
    static byte[] expand(byte[] key, byte[] info, int len) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA512");
        mac.init(new SecretKeySpec(key, "HmacSHA512"));
        byte[] expanded = new byte[len], block = new byte[0];
        for (int i = 1, done = 0; done < len; ++i, done += block.length) {
            mac.update(block);
            mac.update(info);
            Arrays.fill(block, (byte) 0);
            block = mac.doFinal(new byte[] {(byte) i});
            System.arraycopy(block, 0, expanded, done, Math.min(block.length, len - done));
        }
        Arrays.fill(block, (byte) 0);
        return expanded;
    }

    /** The key that a key file has, and the name of its AEAD. */
    record Key(String aead, byte[] bytes) {
        /** Parses a key file, a line of three words, and wipes the text of it. */
        static Key parse(byte[] file) {
            char[] text = StandardCharsets.ISO_8859_1.decode(ByteBuffer.wrap(file)).array();
            Arrays.fill(file, (byte) 0);
            try {
                int end = text.length > 0 && text[text.length - 1] == '\n' ? text.length - 1 : text.length;
                int space = MAGIC.length();
                while (space < end && text[space] != ' ') {
                    ++space;
                }
                String aead = space < end ? new String(text, MAGIC.length(), space - MAGIC.length()) : "";
                if (!CIPHERS.containsKey(aead) || !new String(text, 0, MAGIC.length()).equals(MAGIC)) {
                    throw new IllegalArgumentException("the key file does not begin with " + MAGIC + "and the name of a cipher");
                }
                return new Key(aead, HexFormat.of().parseHex(text, space + 1, end));
            } finally {
                Arrays.fill(text, '\0');
            }
        }
    }

    /** Opens a sealed file. Arrays with keys are zeros afterwards; copies that the virtual machine makes are out of reach. */
    static byte[] open(byte[] keyFile, byte[] sealed) throws Exception {
        if (sealed.length < SALT + COMMITMENT + TAG) {
            throw new IllegalArgumentException(
                    "the file has " + sealed.length + " bytes, and a sealed one has " + (SALT + COMMITMENT + TAG) + " or more");
        }
        Key key = Key.parse(keyFile);
        ByteArrayOutputStream info = new ByteArrayOutputStream();
        info.writeBytes(("c2sp.org/chunked-encryption@v1+" + key.aead + "\0").getBytes(StandardCharsets.US_ASCII));
        info.write(sealed, 0, SALT);
        int keyLen = key.bytes.length;
        byte[] keys = expand(key.bytes, info.toByteArray(), keyLen + NONCE + COMMITMENT);
        Arrays.fill(key.bytes, (byte) 0);
        byte[] cipherKey = Arrays.copyOf(keys, keyLen), nonce = Arrays.copyOfRange(keys, keyLen, keyLen + NONCE);
        byte[] commitment = Arrays.copyOfRange(keys, keyLen + NONCE, keys.length);
        Arrays.fill(keys, (byte) 0);
        if (!MessageDigest.isEqual(commitment, Arrays.copyOfRange(sealed, SALT, SALT + COMMITMENT))) {
            Arrays.fill(cipherKey, (byte) 0);
            throw new IllegalArgumentException("the file was sealed with another key, or changed");
        }

        Abreast library = Abreast.LIBRARY;
        PointerByReference cipher = new PointerByReference(), gcm = new PointerByReference();
        // JNA would copy an array to memory outside the heap and back, once for each argument.
        try (Memory chunk = new Memory(SEALED_CHUNK)) {
            check(library.abreast_cipher_new(CIPHERS.get(key.aead), cipherKey, keyLen, null, cipher));
            check(library.abreast_gcm_new(cipher.getValue(), gcm));
            byte[] message = new byte[sealed.length];
            int at = SALT + COMMITMENT, done = 0;
            for (long number = 0, len = SEALED_CHUNK; len == SEALED_CHUNK; ++number, at += (int) len) {
                len = Math.min(SEALED_CHUNK, sealed.length - at);
                if (len < TAG) {
                    throw new IllegalArgumentException("the file ends within chunk " + number);
                }
                byte[] ofChunk = nonce.clone();
                for (int i = 0; i < 8; ++i) {
                    ofChunk[NONCE - 1 - i] ^= (byte) (number >> 8 * i);
                }
                int plain = (int) len - TAG;
                chunk.write(0, sealed, at, (int) len);
                int status = library.abreast_aead_decrypt(
                        gcm.getValue(), ofChunk, NONCE, null, 0, chunk, chunk, plain, chunk.share(plain), TAG);
                if (status != 0) {
                    throw new IllegalArgumentException("chunk " + number + ": " + library.abreast_status_text(status));
                }
                chunk.read(0, message, done, plain);
                done += plain;
            }
            return Arrays.copyOf(message, done);
        } finally {
            library.abreast_aead_free(gcm.getValue());
            library.abreast_cipher_free(cipher.getValue());
            Arrays.fill(cipherKey, (byte) 0);
            Arrays.fill(nonce, (byte) 0);
        }
    }

    public static void main(String[] paths) throws Exception {
        if (paths.length != 3) {
            System.err.println("usage: OpenSealed KEY SEALED MESSAGE");
            System.exit(2);
        }
        try {
            Files.write(Path.of(paths[2]), open(Files.readAllBytes(Path.of(paths[0])), Files.readAllBytes(Path.of(paths[1]))));
        } catch (IllegalArgumentException error) {
            System.err.println("OpenSealed: " + error.getMessage());
            System.exit(1);
        }
    }
}
