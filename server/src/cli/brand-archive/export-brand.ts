import { ArchiveWriter } from '../../backup/archive-writer.ts'
import { FILES_FOLDER } from '../../backup/backup-format.ts'
import type { Sink } from '../../backup/sinks.ts'
import { appliedMigrations } from '../../backup/write-backup.ts'
import { PlainFailure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { type Config, version } from '../../config/config.ts'
import type { Dump } from '../../db/dump.ts'
import { openDump } from '../../db/open-dump.ts'
import { publicUrl } from '../../features/uploads/files.ts'
import { expectedFiles, type FileFacts } from '../../files/file-keys.ts'
import { streamOf } from '../../files/file-store.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { withMovedAvatar } from './addresses.ts'
import { BRAND_TABLES, type BrandHead, ROWS_FOLDER, type Row, toJson } from './brand-rows.ts'

const ROWS_OF_AN_ENTRY = 10_000

interface Exported {
  readonly id: string
  readonly slug: string
  readonly counts: Readonly<Record<string, number>>
  readonly missingFiles: readonly string[]
}

/** From one snapshot. Without keys of apps, webhooks and members: those belong to the service. */
export async function exportBrand(
  config: Config,
  { slug, hasVotes, openSink }: { slug: string; hasVotes: boolean; openSink: () => Sink },
): Promise<Exported> {
  const dump = await openDump(config)
  try {
    const brandKey = await keyOf(dump, slug)
    const head: BrandHead = {
      format: 1,
      kind: 'brand',
      id: newUuid(),
      version,
      createdAt: new Date().toISOString(),
      slug,
      hasVotes,
      migrations: await appliedMigrations(dump),
      filesUrl: `${config.publicUrl}/files/`,
    }
    const sink = openSink()
    try {
      return await writeBrand(dump, { config, head, brandKey, sink })
    } catch (error) {
      await sink.abandon()
      throw error
    }
  } finally {
    await dump.close()
  }
}

async function keyOf(dump: Dump, slug: string): Promise<number> {
  const brands = await dump.select<{ key: number; slug: string }>(
    'select key, slug from brands where deleted_at is null',
  )
  const brand = brands.find((each) => each.slug === slug)
  if (!brand) throw new PlainFailure(`There is no brand with the slug ${slug}.`)
  return brand.key
}

interface Writing {
  readonly config: Config
  readonly head: BrandHead
  readonly brandKey: number
  readonly sink: Sink
}

async function writeBrand(dump: Dump, { config, head, brandKey, sink }: Writing): Promise<Exported> {
  const writer = await ArchiveWriter.begin(sink, head)
  const counts: Record<string, number> = {}
  const missingFiles: string[] = []
  // Archives name files by the address that every service has, not by FILES_URL.
  const prefixes = { before: publicUrl({ config }, ''), now: head.filesUrl }
  for (const { name, select, onlyWithVotes } of BRAND_TABLES) {
    if (onlyWithVotes && !head.hasVotes) continue
    let [count, part] = [0, 0]
    for await (const rows of dump.selectInParts<Row>(select.replaceAll('$brand', `${brandKey}`), ROWS_OF_AN_ENTRY)) {
      count += rows.length
      const written = name === 'brands' ? rows.map((row) => withMovedAvatar(row, prefixes)) : rows
      await writer.addText(`${ROWS_FOLDER}${name}/${++part}`, toJson(written))
      if (name === 'files') missingFiles.push(...(await addFiles(writer, config, rows)))
    }
    counts[name] = count
  }
  await writer.finish({ counts, missingFiles })
  return { id: head.id, slug: head.slug, counts, missingFiles }
}

async function addFiles(writer: ArchiveWriter<BrandHead>, config: Config, rows: readonly Row[]): Promise<string[]> {
  const store = openFilesBeside(config)
  const missing: string[] = []
  const made = rows.filter(({ width }) => Number(width) > 0) as unknown as FileFacts[]
  for (const { key } of made.flatMap(expectedFiles)) {
    const file = await store.read(key)
    if (!file) {
      missing.push(key)
      continue
    }
    await writer.add(FILES_FOLDER + key, file.size, streamOf(file))
  }
  return missing
}
