// Opens a sealed file by a program for WASI: `node open.mjs PROGRAM KEY SEALED MESSAGE`. The program sees the current folder alone.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...paths] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: ['open', ...paths], preopens: { '.': '.' } });
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
