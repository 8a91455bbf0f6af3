import { createHash } from 'node:crypto'
import { html } from '../../../../../embed/src/render/html.ts'
import { notFound } from '../../../base/errors.ts'
import { madeOnce } from '../../../base/work/single-flight.ts'
import { etagOf } from '../../../http/answers/caching.ts'
import { type Asset, assetOf, assetReply, type Reply } from '../../../http/answers/reply.ts'
import { buildDocs } from './built-files.ts'
import { BUILD, PUBLISHED, SERVICE } from './page-parts.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
}
const TYPES_IN_BASE64: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  zip: 'application/zip',
}

/** Built at the first request, and contained in a build. All services of a process share the files. */
const builtDocs = madeOnce(buildDocs)

/** Serves the files of the docs, with the address of this service in their examples. */
export class DocsFolder {
  readonly #publicUrl: string
  readonly #kept = new Map<string, Asset>()

  constructor(publicUrl: string) {
    this.#publicUrl = publicUrl
  }

  /** Names exactly these files, with this address in them. */
  async build(): Promise<string> {
    const { hash } = await builtDocs()
    return createHash('sha256').update(`${hash} ${this.#publicUrl}`).digest('base64url').slice(0, 12)
  }

  /** A text of the docs with the address of this service. */
  async complete(text: string, isMarkup = true): Promise<Asset> {
    const url = isMarkup ? html`${this.#publicUrl}`.toString() : this.#publicUrl
    const published = url.startsWith('https:') ? url : 'https://polls.example.com'
    const build = await this.build()
    const whole = text.replaceAll(SERVICE, () => url).replaceAll(PUBLISHED, () => published)
    return assetOf(whole.replaceAll(BUILD, build))
  }

  async find(address: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const { files } = await builtDocs()
    const content = Object.hasOwn(files, address) ? files[address] : undefined
    if (content === undefined) throw notFound()
    const ending = /\.(\w+)$/.exec(address)?.[1] ?? 'html'
    const binary = TYPES_IN_BASE64[ending]
    if (binary) {
      const bytes = Buffer.from(content, 'base64')
      return { status: 200, body: bytes, headers: { ...headers, 'Content-Type': binary, ETag: etagOf(bytes) } }
    }
    const asset = this.#kept.get(address) ?? (await this.complete(content, ending === 'html'))
    this.#kept.set(address, asset)
    return assetReply(asset, { ...headers, 'Content-Type': TYPES[ending] ?? 'text/plain' })
  }
}
