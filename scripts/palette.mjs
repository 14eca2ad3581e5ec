/*
 * Write a picture of a page anew with 256 colours: node palette.mjs FILE.png. Pages have few colours and many
 * shades between them at the edges of letters, which nobody misses; the file shrinks to about a third.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import zlib from 'node:zlib';

const [file] = process.argv.slice(2);
const png = readFileSync(file);

/** The chunks of a PNG: { type, data }. */
function* chunks() {
	for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
		yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + png.readUInt32BE(at)) };
}

const all = [...chunks()];
const head = all.find(({ type }) => type === 'IHDR').data;
const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
const bytes = { 2: 3, 6: 4 }[head[9]];
if (head[8] !== 8 || bytes === undefined || head[12] !== 0) {
	process.stderr.write(`palette: ${file} is not of 8-bit colours without interlacing\n`);
	process.exit(1);
}

/** Undo the filters of the rows (PNG, section 9). */
function pixelsOf() {
	const raw = zlib.inflateSync(Buffer.concat(all.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
	const stride = width * bytes;
	const out = Buffer.alloc(stride * height);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (stride + 1)];
		for (let x = 0; x < stride; x++) {
			const a = x >= bytes ? out[y * stride + x - bytes] : 0;
			const b = y > 0 ? out[(y - 1) * stride + x] : 0;
			const c = x >= bytes && y > 0 ? out[(y - 1) * stride + x - bytes] : 0;
			const p = a + b - c;
			const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
			const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
			out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + [0, a, b, (a + b) >> 1, paeth][filter];
		}
	}
	return out;
}

const pixels = pixelsOf();
const colourAt = (i) => (pixels[i * bytes] << 16) | (pixels[i * bytes + 1] << 8) | pixels[i * bytes + 2];
const counts = new Map();
for (let i = 0; i < width * height; i++) counts.set(colourAt(i), (counts.get(colourAt(i)) || 0) + 1);
const ranked = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([colour]) => colour);
const distance = (a, b) => ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

/** Colours of which none is nearer to another than `least`, the frequent ones first. */
function spread(least) {
	const out = [];
	for (const colour of ranked) if (out.length <= 256 && out.every((other) => distance(other, colour) > least)) out.push(colour);
	return out;
}

/* a colour that is rare and unlike all others has to stay: the mark of a jump is small */
let least = 0;
let palette = spread(least);
while (palette.length > 256) palette = spread((least = least * 1.4 + 2));

const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
const nearest = new Map(palette.map((colour, i) => [colour, i]));
for (const colour of ranked)
	if (!nearest.has(colour))
		nearest.set(
			colour,
			palette.reduce((best, other, i) => (distance(other, colour) < distance(palette[best], colour) ? i : best), 0),
		);

const rows = Buffer.alloc((width + 1) * height);
for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest.get(colourAt(y * width + x));

const TABLE = Array.from({ length: 256 }, (_, n) => {
	for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
	return n >>> 0;
});
const crc = (data) => (data.reduce((c, byte) => TABLE[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

function chunk(type, data) {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const frame = Buffer.alloc(8);
	frame.writeUInt32BE(data.length, 0);
	frame.writeUInt32BE(crc(body), 4);
	return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

const newHead = Buffer.from(head);
newHead[9] = 3; /* colours by palette */
writeFileSync(
	file,
	Buffer.concat([
		png.subarray(0, 8),
		chunk('IHDR', newHead),
		chunk('PLTE', Buffer.from(palette.flatMap(parts))),
		chunk('IDAT', zlib.deflateSync(rows, { level: 9 })),
		chunk('IEND', Buffer.alloc(0)),
	]),
);
