import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.io.ByteArrayOutputStream;
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
    private static final int SALT = 24, COMMITMENT = 32, NONCE = 12, TAG = 16, SEALED_CHUNK = (1 << 14) + TAG;

    /** The functions of abreast.h that are called here. A size_t has the size of a pointer: JNA takes a long for it here. */
    private interface Abreast extends Library {
        Abreast LIBRARY = Native.load("abreast", Abreast.class);

        int abreast_cipher_new(String name, byte[] key, long keyLen, String kernel, PointerByReference cipher);

        int abreast_gcm_new(Pointer cipher, PointerByReference aead);

        int abreast_aead_decrypt(
                Pointer aead, byte[] nonce, long nonceLen, byte[] aad, long aadLen, byte[] input, byte[] output, long len,
                byte[] tag, long tagLen);

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
    private static byte[] expand(byte[] key, byte[] info, int len) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA512");
        mac.init(new SecretKeySpec(key, "HmacSHA512"));
        byte[] expanded = new byte[0], block = new byte[0];
        for (int i = 1; expanded.length < len; ++i) {
            mac.update(block);
            mac.update(info);
            block = mac.doFinal(new byte[] {(byte) i});
            expanded = Arrays.copyOf(expanded, expanded.length + block.length);
            System.arraycopy(block, 0, expanded, expanded.length - block.length, block.length);
        }
        return Arrays.copyOf(expanded, len);
    }

    static byte[] open(String keyFile, byte[] sealed) throws Exception {
        String[] words = keyFile.replaceFirst("\n$", "").split(" ", -1);
        if (words.length != 3 || !words[0].equals("abreast-key/1") || !CIPHERS.containsKey(words[1])) {
            throw new IllegalArgumentException("the key file is none of abreast-key/1");
        }
        byte[] key = HexFormat.of().parseHex(words[2]);
        if (sealed.length < SALT + COMMITMENT + TAG) {
            throw new IllegalArgumentException("the file is cut off");
        }
        ByteArrayOutputStream info = new ByteArrayOutputStream();
        info.writeBytes(("c2sp.org/chunked-encryption@v1+" + words[1] + "\0").getBytes(StandardCharsets.US_ASCII));
        info.write(sealed, 0, SALT);
        byte[] keys = expand(key, info.toByteArray(), key.length + NONCE + COMMITMENT);
        byte[] nonce = Arrays.copyOfRange(keys, key.length, key.length + NONCE);
        byte[] commitment = Arrays.copyOfRange(keys, key.length + NONCE, keys.length);
        if (!MessageDigest.isEqual(commitment, Arrays.copyOfRange(sealed, SALT, SALT + COMMITMENT))) {
            throw new IllegalArgumentException("the key is another one, or the file was changed");
        }

        Abreast library = Abreast.LIBRARY;
        PointerByReference cipher = new PointerByReference(), gcm = new PointerByReference();
        try {
            check(library.abreast_cipher_new(CIPHERS.get(words[1]), Arrays.copyOf(keys, key.length), key.length, null, cipher));
            check(library.abreast_gcm_new(cipher.getValue(), gcm));
            ByteArrayOutputStream message = new ByteArrayOutputStream(sealed.length);
            int at = SALT + COMMITMENT;
            for (long number = 0, len = SEALED_CHUNK; len == SEALED_CHUNK; ++number, at += (int) len) {
                len = Math.min(SEALED_CHUNK, sealed.length - at);
                if (len < TAG) {
                    throw new IllegalArgumentException("the file is cut off");
                }
                byte[] ofChunk = nonce.clone();
                for (int i = 0; i < 8; ++i) {
                    ofChunk[NONCE - 1 - i] ^= (byte) (number >> 8 * i);
                }
                int plain = (int) len - TAG;
                byte[] chunk = Arrays.copyOfRange(sealed, at, at + plain);
                byte[] tag = Arrays.copyOfRange(sealed, at + plain, at + plain + TAG);
                check(library.abreast_aead_decrypt(gcm.getValue(), ofChunk, NONCE, null, 0, chunk, chunk, plain, tag, TAG));
                message.writeBytes(chunk);
            }
            return message.toByteArray();
        } finally {
            library.abreast_aead_free(gcm.getValue());
            library.abreast_cipher_free(cipher.getValue());
            Arrays.fill(keys, (byte) 0);
        }
    }

    public static void main(String[] paths) throws Exception {
        if (paths.length != 3) {
            System.err.println("usage: OpenSealed KEY SEALED MESSAGE");
            System.exit(2);
        }
        try {
            Files.write(Path.of(paths[2]), open(Files.readString(Path.of(paths[0])), Files.readAllBytes(Path.of(paths[1]))));
        } catch (IllegalArgumentException error) {
            System.err.println("OpenSealed: " + error.getMessage());
            System.exit(1);
        }
    }
}
