import { deflateSync } from 'node:zlib'
import {
  emptyPng,
  fixture,
  jpegOf,
  paint,
  pngChunk,
  pngHeader,
  type Sample,
  SIGNATURE,
  svg,
  webpOf,
  withChunk,
} from './pictures.ts'

export interface Hostile extends Sample {
  /** The error code of the answer. */
  readonly code: 'wrong_type' | 'damaged' | 'animated' | 'too_large' | 'unsafe_svg'
}

const text = (content: string): Uint8Array => Buffer.from(content, 'latin1')
const html = text('<!doctype html><script>alert(document.domain)</script>')
const png = paint({ width: 20, height: 10 })
const jpeg = await jpegOf(png)
const webp = await webpOf(png)
const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.floor(bytes.length / 2))

function changed(bytes: Uint8Array, at: number, ...values: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy.set(values, at)
  return copy
}

/** Changes the size in the header of a baseline JPEG. */
function withJpegSize(bytes: Uint8Array, width: number, height: number): Uint8Array {
  const frame = Buffer.from(bytes).indexOf(Buffer.from([0xff, 0xc0]))
  return changed(bytes, frame + 5, height >> 8, height & 0xff, width >> 8, width & 0xff)
}

/** A lossless WebP that consists of its header, which claims this size. */
function webpHeader(width: number, height: number): Uint8Array {
  const data = Buffer.alloc(12)
  data[0] = 0x2f
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  const head = Buffer.from('RIFF\0\0\0\0WEBPVP8L\0\0\0\0', 'latin1')
  head.writeUInt32LE(4 + 8 + data.length, 4)
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, data])
}

/** A compressed chunk: its name, the bytes before the compressed data, and the inflated size. */
const packed = (name: string, head: string, size: number): Buffer =>
  pngChunk(name, Buffer.concat([text(head), deflateSync(Buffer.alloc(size))]))

/** Adds empty scans: each of them costs a decoder a pass over the picture. */
function withScans(bytes: Uint8Array, count: number): Uint8Array {
  const at = Buffer.from(bytes).lastIndexOf(Buffer.from([0xff, 0xda]))
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 16, 0, 0])
  return Buffer.concat([bytes.subarray(0, at), ...Array.from({ length: count }, () => scan), bytes.subarray(at)])
}

const pngs: [string, Uint8Array, Hostile['code']][] = [
  ['HTML', html, 'wrong_type'],
  ['HTML behind the signature', Buffer.concat([SIGNATURE, html]), 'damaged'],
  ['the signature alone', SIGNATURE, 'damaged'],
  ['a JPEG', jpeg, 'wrong_type'],
  ['a WebP', webp, 'wrong_type'],
  ['a GIF', text('GIF89a\x01\0\x01\0\0\0\0;'), 'wrong_type'],
  ['a BMP', text('BM\x3e\0\0\0\0\0\0\0\x3e\0\0\0'), 'wrong_type'],
  ['an SVG', svg('<path d="M0 0h24v24H0z"/>'), 'wrong_type'],
  ['a ZIP', text('PK\x03\x04'), 'wrong_type'],
  ['a PDF', text('%PDF-1.7\n'), 'wrong_type'],
  ['a shell script', text('#!/bin/sh\nid\n'), 'wrong_type'],
  ['20,000 × 20,000 pixels in a few KB', emptyPng(20_000, 20_000, 1), 'too_large'],
  ['8,193 pixels wide', emptyPng(8_193, 1), 'too_large'],
  ['8,193 pixels high', emptyPng(1, 8_193), 'too_large'],
  ['more than 25 million pixels', emptyPng(8_192, 3_052), 'too_large'],
  ['4,294,967,295 pixels wide', emptyPng(0xffffffff, 1, 1), 'damaged'],
  ['no pixels at all', emptyPng(0, 0), 'damaged'],
  ['half of it', half(png), 'damaged'],
  ['no end', png.subarray(0, -12), 'damaged'],
  ['a last byte that is missing', png.subarray(0, -1), 'damaged'],
  ['a checksum that is wrong', changed(png, 29, 0, 0, 0, 0), 'damaged'],
  ['a chunk that says it is 4 GB', Buffer.concat([png.subarray(0, 33), text('\xff\xff\xff\xffIDAT')]), 'damaged'],
  ['no picture data', Buffer.concat([SIGNATURE, pngHeader(4, 4), png.subarray(-12)]), 'damaged'],
  [
    'data for fewer rows than it has',
    Buffer.concat([SIGNATURE, pngHeader(64, 64), pngChunk('IDAT', deflateSync(Buffer.alloc(65))), png.subarray(-12)]),
    'damaged',
  ],
  [
    'an impossible colour type',
    Buffer.concat([SIGNATURE, pngHeader(4, 4, { colour: 5 }), png.subarray(33)]),
    'damaged',
  ],
  ['a profile of 50 MB in 50 KB', withChunk(png, packed('iCCP', 'icc\0\0', 50_000_000)), 'damaged'],
  ['two profiles', withChunk(png, Buffer.concat([0, 1].map(() => packed('iCCP', 'icc\0\0', 3_000)))), 'damaged'],
  ['a profile that is none', withChunk(png, pngChunk('iCCP', html)), 'damaged'],
  ['an animation', withChunk(png, pngChunk('acTL', Buffer.alloc(8))), 'animated'],
]

const jpegs: [string, Uint8Array, Hostile['code']][] = [
  ['HTML', html, 'wrong_type'],
  ['a PNG', png, 'wrong_type'],
  ['cut off in the middle', half(jpeg), 'damaged'],
  ['cut off before its last two bytes', jpeg.subarray(0, -2), 'damaged'],
  ['cut off behind its head', jpeg.subarray(0, 20), 'damaged'],
  ['its first bytes, then HTML', Buffer.concat([jpeg.subarray(0, 4), html]), 'damaged'],
  ['its start and end alone', Uint8Array.of(0xff, 0xd8, 0xff, 0xd9), 'damaged'],
  ['a thousand walks through its pixels', withScans(fixture('progressive.jpg'), 1_000), 'damaged'],
  ['65,500 × 65,500 pixels', withJpegSize(jpeg, 65_500, 65_500), 'too_large'],
  ['no height', withJpegSize(jpeg, 20, 0), 'damaged'],
  ['a segment that is longer than the file', Buffer.concat([jpeg.subarray(0, 2), text('\xff\xe1\xff\xff')]), 'damaged'],
]

const webps: [string, Uint8Array, Hostile['code']][] = [
  ['HTML', html, 'wrong_type'],
  ['a WAV', text('RIFF\x24\0\0\0WAVEfmt '), 'wrong_type'],
  ['an animation', fixture('animated.webp'), 'animated'],
  ['cut off', half(webp), 'damaged'],
  ['a last byte that is missing', webp.subarray(0, -1), 'damaged'],
  ['nothing behind its head', webp.subarray(0, 12), 'damaged'],
  ['a header alone', webpHeader(100, 100), 'damaged'],
  ['16,384 × 16,384 pixels in a header', webpHeader(16_384, 16_384), 'too_large'],
]

const external = 'https://evil.example/x'
const attributes = (count: number): string => Array.from({ length: count }, (_, i) => ` a${i.toString(36)}=""`).join('')
const laughs = (levels: number): string =>
  Array.from({ length: levels }, (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(10)}</g>`).join('')

const xhtml = (inside: string): string => `<body xmlns="http://www.w3.org/1999/xhtml">${inside}</body>`

/** Stored as they are: nothing of them runs or loads where a browser shows them. */
export const inertSvgs = (external: string): [string, string][] => [
  ['a script', '<script>alert(1)</script>'],
  ['a script from elsewhere', `<script href="${external}"/>`],
  ['a script in a group', '<g><g><script type="module">alert(1)</script></g></g>'],
  ['a script under another name', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'],
  ['a script of HTML', '<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'],
  ['HTML in a foreignObject', '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">x</body></foreignObject>'],
  ['an iframe', '<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/>'],
  ['an event handler', '<rect width="9" height="9" onclick="alert(1)"/>'],
  ['an event handler in capitals', '<rect ONLOAD="alert(1)"/>'],
  ['an event handler with a prefix', '<rect xmlns:q="urn:q" q:onload="alert(1)"/>'],
  ['a link', `<a href="${external}"><text>free</text></a>`],
  ['a link that runs', '<a href="javascript:alert(1)"><text>free</text></a>'],
  ['a picture from elsewhere', `<image href="${external}.png" width="9" height="9"/>`],
  ['a picture in itself', '<image href="data:image/svg+xml;base64,PHN2Zy8+" width="9" height="9"/>'],
  ['a filter that loads', `<filter id="f"><feImage href="${external}"/></filter>`],
  ['a use of another file', `<use href="${external}#a"/>`],
  ['a use by xlink', `<use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="${external}#a"/>`],
  ['a use by xlink under another name', `<use xmlns:y="http://www.w3.org/1999/xlink" y:href="${external}#a"/>`],
  ['a use of data', '<use href="data:image/svg+xml,x#a"/>'],
  ['a gradient from elsewhere', `<linearGradient id="g" href="${external}#g"/>`],
  ['a fill from elsewhere', `<rect fill="url(${external}#g)"/>`],
  ['a fill in quotes', `<rect fill="URL( '${external}#g' )"/>`],
  ['a fill with an escape', '<rect fill="u\\72l(//evil.example)"/>'],
  ['a mask from elsewhere', `<rect mask="url(${external}#m)"/>`],
  ['a style attribute that loads', `<rect style="fill:url(${external})"/>`],
  ['a style that loads', `<style>rect{fill:url(${external})}</style>`],
  ['a style that imports', `<style>@import "${external}";</style>`],
  ['a style that imports behind a comment', `<style>@/**/import "${external}";</style>`],
  ['a style with an escape', '<style>@\\69mport "//evil.example";</style>'],
  ['a style with a font', `<style>@font-face{font-family:x;src:url(${external})}</style>`],
  ['a style with image-set', `<style>svg{background:image-set("${external}" 1x)}</style>`],
  ['a style with an expression', '<style>rect{width:expression(alert(1))}</style>'],
  ['a style with a binding', `<style>rect{-moz-binding:url(${external})}</style>`],
  ['a style in a CDATA section', `<style><![CDATA[@import "${external}";]]></style>`],
  ['a handler element', '<handler type="text/ecmascript">alert(1)</handler>'],
  ['a listener', '<listener event="load" handler="#h" xmlns="http://www.w3.org/2001/xml-events"/>'],
  ['another base', '<g xml:base="https://evil.example/"><use href="#a"/></g>'],
  ['an element in capitals', '<SCRIPT>alert(1)</SCRIPT>'],
  ['a processing instruction inside', '<?php echo 1 ?>'],
  [
    'an animation that begins',
    '<rect width="9" height="9"><animate attributeName="x" dur="1s" onbegin="alert(1)"/></rect>',
  ],
  ['a picture that fails', '<image href="x" onerror="alert(1)" width="9" height="9"/>'],
  [
    'a page that leaves',
    `<foreignObject width="9" height="9">${xhtml(`<meta http-equiv="refresh" content="0;url=${external}"/>`)}</foreignObject>`,
  ],
  [
    'a connection that is prepared',
    `<foreignObject>${xhtml(`<link rel="preconnect" href="${external}"/><link rel="prefetch" href="${external}"/>`)}</foreignObject>`,
  ],
  [
    'frames and media',
    `<foreignObject width="9" height="9">${xhtml(`<iframe src="${external}"/><video src="${external}"/><object data="${external}"/><img src="${external}"/>`)}</foreignObject>`,
  ],
  [
    'a root of a million pixels',
    '<svg width="1000000" height="1000000"><rect width="100%" height="100%" filter="blur(9px)"/></svg>',
  ],
]

const svgs: [string, string][] = [
  ['an animation of a link', '<use href="#a"><animate attributeName="href" to="javascript:alert(1)"/></use>'],
  ['a link that is set', '<use href="#a"><set attributeName="xlink:href" to="javascript:alert(1)"/></use>'],
  ['uses that show a thousand million', `<g id="a0"><path d="M0 0"/></g>${laughs(9)}<use href="#a9"/>`],
  ['a use of itself', '<g id="a"><use href="#a"/></g>'],
  ['elements 101 deep', `${'<g>'.repeat(101)}${'</g>'.repeat(101)}`],
  ['201 attributes of one element', `<rect${attributes(201)}/>`],
  ['400,000 attributes of one name', '<rect'.concat(' a=""'.repeat(400_000), '/>')],
  ['elements that are not closed', '<g><path d="M0 0"/>'],
  ['elements that cross', '<g><defs></g></defs>'],
  ['an attribute twice', '<rect x="1" x="2"/>'],
  ['an attribute without quotes', '<rect x=1/>'],
  ['an entity that nothing was said of', '<text>&nbsp;</text>'],
  ['100,001 elements', '<a/>'.repeat(100_001)],
  ['uses of a large element', `<g id="a">${'<a/>'.repeat(1_000)}</g>${'<use href="#a"/>'.repeat(101)}`],
  ['a use whose name is hidden', '<g id="a&#48;"><path d="M0 0"/></g><use href="#a0"/>'],
  ['an animation whose name is hidden', '<use href="#a"><set attributeName="hre&#102;" to="#b"/></use>'],
  ['a style sheet inside', `<?xml-stylesheet href="${external}"?>`],
  ['a second DOCTYPE inside', '<!DOCTYPE svg>'],
  ['an entity that is declared inside', '<!ENTITY a "b">'],
  ['a comment that does not end', '<!-- '],
]

const svgFiles: [string, Uint8Array, Hostile['code']][] = [
  ['a DOCTYPE', text(`<!DOCTYPE svg [<!ENTITY x "y">]>${svg('<text>&x;</text>')}`), 'unsafe_svg'],
  ['a DOCTYPE from elsewhere', text(`<!DOCTYPE svg SYSTEM "${external}">${svg('')}`), 'unsafe_svg'],
  [
    'entities that grow',
    text(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${svg('<text>&b;</text>')}`),
    'unsafe_svg',
  ],
  ['a file as an entity', text(`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('&x;')}`), 'unsafe_svg'],
  ['a style sheet beside it', text(`<?xml-stylesheet href="${external}"?>${svg('')}`), 'unsafe_svg'],
  ['HTML with an SVG in it', text(`<html>${svg('<script>alert(1)</script>')}</html>`), 'wrong_type'],
  ['HTML', html, 'wrong_type'],
  ['an SVG of no namespace', text('<svg viewBox="0 0 1 1"/>'), 'wrong_type'],
  ['a PNG', png, 'wrong_type'],
  ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${svg('')}`, 'utf16le')), 'wrong_type'],
  ['bytes that are no UTF-8', Buffer.concat([svg('<text>'), Uint8Array.of(0xff, 0xfe)]), 'unsafe_svg'],
  ['a NUL', svg('<text>\0</text>'), 'unsafe_svg'],
  ['another encoding', text(`<?xml version="1.0" encoding="utf-7"?>${svg('')}`), 'unsafe_svg'],
  ['something behind its end', Buffer.concat([svg(''), html]), 'unsafe_svg'],
  ['a second root', Buffer.concat([svg(''), svg('')]), 'unsafe_svg'],
]

const named = (type: Hostile['type'], files: readonly [string, Uint8Array, Hostile['code']][]): Hostile[] =>
  files.map(([name, bytes, code]) => ({ name, type, bytes, code }))

export const hostilePictures: readonly Hostile[] = [
  ...named('image/png', pngs),
  ...named('image/jpeg', jpegs),
  ...named('image/webp', webps),
  ...named('image/svg+xml', svgFiles),
  ...named(
    'image/svg+xml',
    svgs.map(([name, inside]) => [name, svg(inside), 'unsafe_svg']),
  ),
]
