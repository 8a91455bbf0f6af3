import ipaddr from 'ipaddr.js'
import { AppError } from '../../src/base/errors.ts'
import { readCss } from '../../src/features/brands/themes/css/read-css.ts'
import { checkSvg } from '../../src/files/pictures/check-svg.ts'
import { PictureRefused } from '../../src/files/pictures/container.ts'
import { checkJpeg } from '../../src/files/pictures/jpeg.ts'
import { checkPng, neededOf } from '../../src/files/pictures/png.ts'
import { isLosslessWebp } from '../../src/files/pictures/webp.ts'
import { knownTag, refuseUnsatisfiableRange } from '../../src/http/answers/caching.ts'
import { CODINGS, preferredCoding } from '../../src/http/answers/content-coding.ts'
import { preferredLang, preferredType } from '../../src/http/answers/negotiate.ts'
import { readIdempotencyKey } from '../../src/http/idempotency.ts'
import { parseJson } from '../../src/http/json.ts'
import { clientNetwork } from '../../src/http/network.ts'
import { readQuery } from '../../src/http/paging.ts'
import { readIfMatch } from '../../src/http/precondition.ts'
import { pngChunk, pngHeader, SIGNATURE } from '../pictures.ts'
import type { Grammar } from './kinds.ts'

export interface Parser {
  readonly name: string
  readonly grammar: Grammar
  readonly most: number
  readonly parse: (text: string) => unknown
}

const KB = 1024
/** Instead of the 5 MB that are allowed: longer texts measure memory access instead of growth. */
const MEGABYTE = KB * KB

/** A refusal counts as an answer like any other. */
function unlessRefused<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError || error instanceof PictureRefused) return null
    throw error
  }
}

const SVG_OPEN = '<svg xmlns="http://www.w3.org/2000/svg">'
const inSvg = (inside: string) => `${SVG_OPEN}${inside}</svg>`

const xml: Grammar = {
  tokens: [
    'a',
    ' ',
    '\n',
    '<',
    '>',
    '/',
    '=',
    '"',
    "'",
    '&',
    ';',
    '&#1;',
    '&#65;',
    '&lt;',
    '&#x',
    '<!--',
    '-->',
    '<!-- a -->',
    '--',
    '<![CDATA[',
    ']]>',
    '<![CDATA[a]]>',
    ']',
    '<?',
    '?>',
    '<!DOCTYPE ',
    '<g>',
    '</g>',
    '<g/>',
    '<g ',
    '<a:',
    ':',
    ' a=""',
    ' a',
    ' a="',
    ' a =  ""',
    ' xmlns="http://www.w3.org/2000/svg"',
    'é',
    '\u{1f642}',
    (i) => ` a${i}=""`,
    (i) => ` xmlns:a${i}=""`,
    (i) => `<g id="a${i}"/>`,
    (i) => `<g xmlns:a${i}="b"/>`,
    (i) => `<use href="#a${i}"/>`,
  ],
  nested: [
    ['<g>', '</g>'],
    ['<g xmlns:a="b">', '</g>'],
    ['<defs><g>', '</g></defs>'],
    ['<text>a', 'b</text>'],
  ],
  places: [
    (inside) => inside,
    inSvg,
    (inside) => inSvg(`<g ${inside}/>`),
    (inside) => inSvg(`<g id="${inside}"/>`),
    (inside) => `<?xml version="1.0"${inside}`,
    (inside) => `${SVG_OPEN}</svg>${inside}`,
  ],
}

const css: Grammar = {
  tokens: [
    'a',
    '-',
    ' ',
    '\n',
    '(',
    ')',
    'a(',
    'a()',
    'url(',
    'url(a)',
    '#',
    '#a',
    '.',
    '.a',
    ':',
    '::',
    ':is(',
    ':not(.a)',
    ':hover',
    ';',
    ',',
    '{',
    '}',
    '{}',
    'a{}',
    '@',
    '@media ',
    '@media{}',
    '@a',
    '@layer a;',
    '"',
    "'",
    '""',
    '/*',
    '*/',
    '/**/',
    '/',
    '*',
    '\\',
    '!',
    '!important',
    'calc(',
    'var(--a)',
    '%',
    '1',
    '1px ',
    '.a{color:red}',
    'color:red;',
    '--a:b;',
    '--a:{',
    '[',
    ']',
    '[class]',
    '>',
    '+',
    '~',
    '<',
    '&',
    '\0',
    '|',
    '$',
    '^',
    '=',
    '<!--',
    '-->',
    'é',
    'u+1',
    '1e1',
    '.option .label,',
    (i) => `.a${i}{--b${i}:c}`,
    'transform:scale(1);',
    'padding:1px 2px;',
    'font-family:symbol,',
    'border:1px solid red;',
  ],
  nested: [
    ['(', ')'],
    ['calc(', ')'],
    ['{', '}'],
    ['@media print{', '}'],
    [':is(', ')'],
    ['[', ']'],
    ['a{', '}'],
    ['--a:{', '}'],
  ],
  places: [
    (inside) => inside,
    (inside) => `.a{${inside}}`,
    (inside) => `.a{color:${inside}}`,
    (inside) => `.a{--a:${inside}}`,
    (inside) => `${inside}{color:red}`,
    (inside) => `@media ${inside}{.a{color:red}}`,
    (inside) => `@keyframes a{${inside}}`,
    (inside) => `:is(${inside}){}`,
    (inside) => `/*${inside}*/`,
  ],
}

const json: Grammar = {
  tokens: [
    'a',
    ' ',
    '\n',
    '"',
    '"a"',
    '"a":',
    '"a":1,',
    '{',
    '}',
    '{}',
    '{},',
    '[',
    ']',
    '[]',
    '[],',
    ',',
    ':',
    '\\',
    '\\"',
    '\\u0000',
    '\\ud800',
    '"\\ud800",',
    '1',
    '1,',
    '-',
    'e',
    '.',
    'true,',
    'null',
    '"",',
    'é',
    '\u{1f642}',
    (i) => `"${i}":1,`,
    (i) => `"${i}":{"a":1},`,
    (i) => `"${i}",`,
  ],
  nested: [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ],
  places: [
    (inside) => inside,
    (inside) => `[${inside}1]`,
    (inside) => `{${inside}"":1}`,
    (inside) => `["${inside}"]`,
    (inside) => `{"${inside}":[[{"a":["\\ud800"]}]]}`,
    (inside) => `{"a":{${inside}"b":["\\ud800"]}}`,
  ],
}

const list: Grammar = {
  tokens: [
    'a',
    '*',
    ' ',
    '\t',
    ',',
    ', ',
    ';',
    '; ',
    'q=',
    ';q=',
    ';q=0',
    ';q=0.',
    '.',
    '0',
    '1',
    '=',
    '"',
    '""',
    'W/',
    'W/"a",',
    '"a", ',
    '/',
    'a/b',
    'a/b,',
    '*/*,',
    'text/csv;q=0.5,',
    'gzip',
    'gzip,',
    'gzip;',
    'gzip;q=',
    'br, ',
    'de-',
    'de,',
    'de;q=0.5,',
    '1.1.1.1,',
    '10.0.0.1, ',
    '::',
    ':',
    '::1,',
    '[',
    ']',
    '[::1]:1,',
    ':1',
    '%',
    'f',
    '-',
    'Bearer ',
    (i) => `a${i},`,
    (i) => `10.0.${(i >> 8) & 255}.${i & 255},`,
  ],
  places: [
    (inside) => inside,
    (inside) => `gzip${inside}`,
    (inside) => `${inside},de;q=1`,
    (inside) => `"${inside}"`,
    (inside) => `[${inside}]`,
  ],
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const chunk = (name: string, data = ''): string => latin1(pngChunk(name, Buffer.from(data, 'latin1')))

const png: Grammar = {
  tokens: [
    '\0',
    '\0\0\0\0IDAT',
    'a',
    chunk('IDAT'),
    chunk('IDAT', 'a'),
    chunk('tEXt', 'a'),
    chunk('iCCP', 'a\0\0'),
    chunk('PLTE'),
    chunk('IEND'),
    chunk('IHDR', '\0'.repeat(13)),
    chunk('zzzz'),
  ],
  places: [
    (inside) => latin1(SIGNATURE) + inside,
    (inside) => latin1(SIGNATURE) + latin1(pngHeader(1, 1)) + inside + chunk('IEND'),
    (inside) => latin1(SIGNATURE) + latin1(pngHeader(1, 1)) + chunk('iCCP', inside) + chunk('IEND'),
  ],
}

const jpeg: Grammar = {
  tokens: [
    '\0',
    'a',
    '\xff',
    '\xff\0',
    '\xff\xd0',
    '\xff\xd8',
    '\xff\xd9',
    '\xff\x01',
    '\xff\xe0\0\x02',
    '\xff\xe1\0\x03a',
    '\xff\xda\0\x02',
    '\xff\xda\0\x02a',
    '\xff\xc0\0\x08\x08\0\x01\0\x01\x01',
    '\xff\xc4\0\x02',
  ],
  places: [(inside) => `\xff\xd8${inside}`, (inside) => `\xff\xd8\xff\xda\0\x02${inside}\xff\xd9`],
}

const webp: Grammar = {
  tokens: [
    '\0',
    'a',
    'VP8 \0\0\0\0',
    'VP8L\0\0\0\0',
    'VP8X\0\0\0\0',
    'ANMF\0\0\0\0',
    'zzzz\0\0\0\0',
    'zzzz\x01\0\0\0a\0',
    'VP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0',
  ],
  places: [
    (inside) => {
      const size = Buffer.alloc(4)
      size.writeUInt32LE(inside.length + 4)
      return `RIFF${latin1(size)}WEBP${inside}`
    },
  ],
}

const query: Grammar = {
  tokens: ['a', '=', '&', '+', '%', '%2', '%61', '%00', '%ff', 'a&', 'a=b&', 'status=open&', (i) => `p${i}=1&`],
}

const tags: Grammar = {
  tokens: ['"', 'W/', '*', 'a', ' ', '\t', ',', '"a"', '"a",', '"a", ', 'W/"a",', '"a" ', (i) => `"${i}",`],
}

const trusted = [ipaddr.parseCIDR('0.0.0.0/0'), ipaddr.parseCIDR('::/0')] as const
const withHeader = (name: string, value: string) => ({
  request: { headers: { get: (asked: string) => (asked === name ? value : null) } } as unknown as Request,
})

const HEADER = 64 * KB

export const parsers: readonly Parser[] = [
  { name: 'XML', grammar: xml, most: MEGABYTE, parse: (text) => unlessRefused(() => checkSvg(Buffer.from(text))) },
  {
    name: 'CSS',
    grammar: css,
    most: 48 * KB,
    parse: readCss,
  },
  { name: 'JSON', grammar: json, most: 256 * KB, parse: (text) => unlessRefused(() => parseJson(text)) },
  {
    name: 'Accept',
    grammar: list,
    most: HEADER,
    parse: (text) => preferredType(text, ['application/json', 'text/csv', 'application/x-ndjson']),
  },
  { name: 'Accept-Language', grammar: list, most: HEADER, parse: preferredLang },
  {
    name: 'Accept-Encoding',
    grammar: list,
    most: HEADER,
    parse: (text) => preferredCoding(text, { offered: CODINGS, isShort: false }),
  },
  ...[false, true].map((ignoresUnknown) => ({
    name: `the query of ${ignoresUnknown ? 'a page' : 'the interface'}`,
    grammar: query,
    most: HEADER,
    parse: (text: string) => readQuery({ search: `?${text}` }, { known: new Set(['a', 'status']), ignoresUnknown }),
  })),
  {
    name: 'If-Match',
    grammar: tags,
    most: HEADER,
    parse: (text) => unlessRefused(() => readIfMatch(text)?.('a')),
  },
  { name: 'If-None-Match', grammar: list, most: HEADER, parse: (text) => knownTag(text, '"a"', '"a"') },
  {
    name: 'Range',
    grammar: list,
    most: HEADER,
    parse: (text) =>
      unlessRefused(() =>
        refuseUnsatisfiableRange(withHeader('range', `bytes=${text}`).request, { size: 1, etag: '"a"' }),
      ),
  },
  {
    name: 'X-Forwarded-For',
    grammar: list,
    most: HEADER,
    parse: (text) =>
      clientNetwork(
        '127.0.0.1',
        text,
        trusted.map(([a, b]) => [a, b]),
      ),
  },
  {
    name: 'PNG',
    grammar: png,
    most: MEGABYTE,
    parse: (text) => {
      const bytes = Buffer.from(text, 'latin1')
      checkPng(bytes)
      neededOf(bytes)
    },
  },
  { name: 'JPEG', grammar: jpeg, most: MEGABYTE, parse: (text) => checkJpeg(Buffer.from(text, 'latin1')) },
  { name: 'WebP', grammar: webp, most: MEGABYTE, parse: (text) => isLosslessWebp(Buffer.from(text, 'latin1')) },
  {
    name: 'X-Service-Idempotency-Key',
    grammar: list,
    most: HEADER,
    parse: (text) => unlessRefused(() => readIdempotencyKey(text)),
  },
]
