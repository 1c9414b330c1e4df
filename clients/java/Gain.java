import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Prints the seconds that a sealed file of AES takes to open by abreast and by Java's own Cipher, in turns: {@code Gain KEY SEALED}. */
public final class Gain {
    private static final int TRIALS = 10;

    /** Opens a sealed file as {@link OpenSealed} does, without the checks of its form. */
    private static byte[] openByJava(byte[] keyFile, byte[] sealed) throws Exception {
        OpenSealed.Key key = OpenSealed.Key.parse(keyFile);
        ByteArrayOutputStream info = new ByteArrayOutputStream();
        info.writeBytes(("c2sp.org/chunked-encryption@v1+" + key.aead() + "\0").getBytes(StandardCharsets.US_ASCII));
        info.write(sealed, 0, OpenSealed.SALT);
        int keyLen = key.bytes().length;
        byte[] keys = OpenSealed.expand(key.bytes(), info.toByteArray(), keyLen + OpenSealed.NONCE);
        SecretKeySpec cipherKey = new SecretKeySpec(keys, 0, keyLen, "AES");
        Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
        byte[] message = new byte[sealed.length];
        int at = OpenSealed.SALT + OpenSealed.COMMITMENT, done = 0;
        for (long number = 0; at < sealed.length; ++number, at += OpenSealed.SEALED_CHUNK) {
            byte[] nonce = Arrays.copyOfRange(keys, keyLen, keyLen + OpenSealed.NONCE);
            for (int i = 0; i < 8; ++i) {
                nonce[OpenSealed.NONCE - 1 - i] ^= (byte) (number >> 8 * i);
            }
            gcm.init(Cipher.DECRYPT_MODE, cipherKey, new GCMParameterSpec(8 * OpenSealed.TAG, nonce));
            done += gcm.doFinal(sealed, at, Math.min(OpenSealed.SEALED_CHUNK, sealed.length - at), message, done);
        }
        return Arrays.copyOf(message, done);
    }

    public static void main(String[] paths) throws Exception {
        byte[] key = Files.readAllBytes(Path.of(paths[0])), sealed = Files.readAllBytes(Path.of(paths[1]));
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
        // What is slow until it is compiled is among the first trials.
        for (int trial = 0; trial < 2 * TRIALS; ++trial) {
            long begin = System.nanoTime();
            // The text of a key is wiped.
            byte[] message = trial % 2 == 0 ? openByJava(key.clone(), sealed) : OpenSealed.open(key.clone(), sealed);
            best[trial % 2] = Math.min(best[trial % 2], (System.nanoTime() - begin) / 1e9);
            if (message.length == 0) {
                throw new IllegalStateException("nothing was opened");
            }
        }
        System.out.printf("%d bytes: %.3f s by Java, %.3f s by abreast, gain %.2f%n", sealed.length, best[0], best[1], best[0] / best[1]);
    }
}
