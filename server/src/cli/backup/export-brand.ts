import type { BrandHead } from '../../backup/archive.ts'
import { ArchiveWriter } from '../../backup/archive-writer.ts'
import { ByteProgress } from '../../backup/byte-progress.ts'
import type { Sink } from '../../backup/sinks.ts'
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
export async function exportBrand(config: Config, wanted: Wanted): Promise<Exported> {
  const snapshot = await openCurrentSnapshot(config)
  try {
    const brandKey = await keyOf(snapshot, wanted.slug)
    const sink = wanted.openSink()
    try {
      return await writeBrand(snapshot, config, { ...wanted, brandKey, sink })
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

interface Writing extends Pick<Wanted, 'slug' | 'hasVotes'> {
  readonly brandKey: number
  readonly sink: Sink
}

async function writeBrand(snapshot: Snapshot, config: Config, writing: Writing): Promise<Exported> {
  const { slug, hasVotes, brandKey, sink } = writing
  const head: BrandHead = { ...newHead('brand'), slug, hasVotes, filesUrl: `${config.publicUrl}/files/` }
  const writer = await ArchiveWriter.begin(sink, head)
  // Archives name files by the address that every service has, not by FILES_URL.
  const prefixes = { before: publicUrl({ config }, ''), now: head.filesUrl }
  const tables = tablesOfBrand(brandKey, { hasVotes })
  const written = await writeTables(
    writer,
    { snapshot, tables },
    {
      store: openFilesBeside(config),
      progress: new ByteProgress('Export', { isShown: false }),
      dress: (table, row) => (table === 'brands' ? withMovedAvatar(row, prefixes) : row),
    },
  )
  await writer.finish(written)
  return { id: head.id, slug, ...written }
}
