import { type Asset, assetOf } from '../pages/assets/asset.ts'
import { madeOnce } from '../pages/assets/element-scripts.ts'
import { buildOf, type DocsFile, fixedAddress, fixedFile } from './docs-files.ts'
import { type Doc, navigationOf, overviewOf, readDocs, type SearchRow, searchRowsOf } from './library.ts'
import { docsPage, type NavGroup, tableOfContents } from './page-shell.ts'
import { operationsByTag, type ReferenceDocument, readReference } from './reference/reference-document.ts'
import {
  type ReferencePage,
  referenceNavigation,
  referenceOverview,
  referencePage,
  slugOfTag,
} from './reference/reference-pages.ts'

interface BuiltFile extends Asset {
  readonly build: string
}

interface Library {
  readonly docs: ReadonlyMap<string, Doc>
  readonly reference: ReferenceDocument
  readonly nav: readonly NavGroup[]
  readonly index: BuiltFile
}

const built = (asset: Asset): BuiltFile => ({ ...asset, build: buildOf(asset.text) })

type PageContent = Omit<Parameters<typeof docsPage>[0], 'nav' | 'address'>

/** The pages of the docs, each rendered at its first request and kept. There are some forty, so all of them fit. */
export class DocPages {
  readonly #library: () => Promise<Library> | Library
  readonly #kept = new Map<string, Asset>()

  /** The examples of the pages name the service at `publicUrl`. */
  constructor(publicUrl: string) {
    this.#library = madeOnce(() => readLibrary(publicUrl))
  }

  overview = (): Promise<Asset | null> =>
    this.#find('/docs', ({ docs }) => {
      const description = 'How to ask, show and count polls with this service, and how to run it.'
      return { title: 'Docs', description, toc: null, body: overviewOf(docs) }
    })

  doc = (name: string): Promise<Asset | null> =>
    this.#find(`/docs/${name}`, ({ docs }) => {
      const doc = docs.get(name)
      if (!doc) return null
      const { title, lead, body, sections } = doc
      const toc = tableOfContents(sections.filter(({ depth }) => depth === 2))
      return { title, description: lead, toc, body }
    })

  referenceOverview = (): Promise<Asset | null> =>
    this.#find('/docs/api', ({ reference }) => withToc(referenceOverview(reference)))

  reference = (slug: string): Promise<Asset | null> =>
    this.#find(`/docs/api/${slug}`, ({ reference }) => {
      const page = referencePage(reference, slug)
      return page && withToc(page)
    })

  async file(name: DocsFile): Promise<BuiltFile> {
    return name === 'search.json' ? (await this.#library()).index : built(fixedFile(name))
  }

  /** Null where there is nothing to show at that address. */
  async #find(address: string, content: (library: Library) => PageContent | null): Promise<Asset | null> {
    const known = this.#kept.get(address)
    if (known) return known
    const library = await this.#library()
    const page = content(library)
    if (!page) return null
    const { nav, index } = library
    const addressOf = (name: string) =>
      name === 'search.json' ? `/docs/files/${name}?build=${index.build}` : fixedAddress(name)
    const made = assetOf(docsPage({ ...page, address, nav }, addressOf))
    this.#kept.set(address, made)
    return made
  }
}

const withToc = ({ toc, ...page }: ReferencePage): PageContent => ({
  ...page,
  toc: tableOfContents(toc),
  scripts: ['reference.js'],
})

async function readLibrary(publicUrl: string): Promise<Library> {
  const docs = await readDocs(publicUrl)
  const reference = readReference(publicUrl)
  const rows = [...searchRowsOf(docs), ...operationRows(reference)]
  const nav = [...navigationOf(docs), ...referenceNavigation(reference)]
  return { docs, reference, nav, index: built(assetOf(JSON.stringify(rows))) }
}

/** The operations in the search: found by path, name and description. */
const operationRows = (reference: ReferenceDocument): SearchRow[] =>
  [...operationsByTag(reference)].flatMap(([tag, operations]) =>
    operations.map(
      ({ operationId, method, path, summary, description, isEvent }): SearchRow => [
        `/docs/api/${slugOfTag(tag)}#${operationId}`,
        'Reference',
        summary,
        `${isEvent ? 'Event' : method} ${path} ${operationId} ${description.replaceAll('`', '')}`,
      ],
    ),
  )
