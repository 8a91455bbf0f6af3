import type { BrandHead } from '../../backup/archive.ts'
import { ArchiveWriter } from '../../backup/archive-writer.ts'
import type { Sink } from '../../backup/sinks.ts'
import type { Row } from '../../backup/table-rows.ts'
import { newHead, writeTables } from '../../backup/write-tables.ts'
import { PlainFailure } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { openCurrentSnapshot } from '../../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../../db/snapshots/snapshot.ts'
import { publicUrl } from '../../features/uploads/files.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { withMovedAvatar } from './addresses.ts'
import { tablesOfBrand } from './brand-tables.ts'

interface Exported {
  readonly id: string
  readonly slug: string
  readonly counts: Readonly<Record<string, number>>
  readonly missingFiles: readonly string[]
}

interface Wanted {
  readonly slug: string
  readonly hasVotes: boolean
  openSink(): Sink
}

/** From one snapshot. Without keys of apps, webhooks and members: those belong to the service. */
export async function exportBrand(config: Config, { slug, hasVotes, openSink }: Wanted): Promise<Exported> {
  const snapshot = await openCurrentSnapshot(config)
  try {
    const tables = tablesOfBrand(await keyOf(snapshot, slug), { hasVotes })
    const head: BrandHead = { ...newHead('brand'), slug, hasVotes, filesUrl: `${config.publicUrl}/files/` }
    // Archives name files by the address that every service has, not by FILES_URL.
    const prefixes = { before: publicUrl({ config }, ''), now: head.filesUrl }
    const dress = (table: string, row: Row) => (table === 'brands' ? withMovedAvatar(row, prefixes) : row)
    const sink = openSink()
    try {
      const writer = await ArchiveWriter.begin(sink, head)
      const written = await writeTables(writer, { snapshot, tables }, { store: openFilesBeside(config), dress })
      await writer.finish(written)
      return { id: head.id, slug, ...written }
    } catch (error) {
      await sink.abandon()
      throw error
    }
  } finally {
    await snapshot.close()
  }
}

async function keyOf({ select }: Snapshot, slug: string): Promise<number> {
  const brands = await select<{ key: number; slug: string }>('select key, slug from brands where deleted_at is null')
  const brand = brands.find((each) => each.slug === slug)
  if (!brand) throw new PlainFailure(`There is no brand with the slug ${slug}.`)
  return brand.key
}
