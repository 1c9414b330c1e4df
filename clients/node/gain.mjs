// Prints the seconds that a sealed file of AES takes to open by the program for WASI and by Node's own crypto, in turns:
// `node gain.mjs PROGRAM KEY SEALED`, in a folder where a file `opened` may be written.
import { createDecipheriv, createHmac } from 'node:crypto';
import { readFile, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { WASI } from 'node:wasi';

const [program, keyFile, sealedFile] = process.argv.slice(2);
const TRIALS = 7;
const [SALT, COMMITMENT, NONCE, TAG, SEALED_CHUNK] = [24, 32, 12, 16, (1 << 14) + 16];
const module = await WebAssembly.compile(await promisify(readFile)(program));

async function openByWasi() {
  const wasi = new WASI({ version: 'preview1', args: ['open', keyFile, sealedFile, 'opened'], preopens: { '.': '.' }, returnOnExit: true });
  if (wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())) !== 0) throw new Error('it was not opened');
}

// HKDF-Expand with SHA-512, of one block at most: 32 bytes of key and a nonce.
const expand = (key, info) => createHmac('sha512', key).update(info).update(Buffer.of(1)).digest();

// Opens a sealed file as the crate does, without the checks of its form.
function openByNode() {
  const [, aead, hex] = readFileSync(keyFile, 'latin1').trim().split(' ');
  const [sealed, key] = [readFileSync(sealedFile), Buffer.from(hex, 'hex')];
  const keys = expand(key, Buffer.concat([Buffer.from(`c2sp.org/chunked-encryption@v1+${aead}\0`), sealed.subarray(0, SALT)]));
  const [cipherKey, first] = [keys.subarray(0, key.length), keys.subarray(key.length, key.length + NONCE)];
  const message = [];
  for (let at = SALT + COMMITMENT, number = 0n; at < sealed.length; at += SEALED_CHUNK, number++) {
    const [chunk, nonce] = [sealed.subarray(at, at + SEALED_CHUNK), Buffer.from(first)];
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ number, 4);
    const gcm = createDecipheriv(`aes-${8 * key.length}-gcm`, cipherKey, nonce, { authTagLength: TAG });
    gcm.setAuthTag(chunk.subarray(chunk.length - TAG));
    message.push(gcm.update(chunk.subarray(0, chunk.length - TAG)), gcm.final());
  }
  writeFileSync('opened', Buffer.concat(message));
}

const best = [Infinity, Infinity];
for (let trial = 0; trial < 2 * TRIALS; trial++) {
  const begin = performance.now();
  await [openByNode, openByWasi][trial % 2]();
  best[trial % 2] = Math.min(best[trial % 2], performance.now() - begin);
}
const [node, wasi] = best.map((milliseconds) => milliseconds / 1000);
console.log(`${node.toFixed(3)} s by Node, ${wasi.toFixed(3)} s by abreast in WASI, gain ${(node / wasi).toFixed(2)}`);
