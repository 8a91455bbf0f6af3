import { PlainFailure } from '../../base/errors.ts'
import { textOfChunks } from '../../base/text.ts'
import { archiveFault, checkRow, printable, quoted } from '../row-checks/check-row.ts'
import { movedAddresses, type Prefixes } from './addresses.ts'
import { BRAND_TABLES, ROWS_FOLDER, type Row, rowsOf } from './brand-rows.ts'
import type { SpilledRows } from './spilled-rows.ts'
import { VoteSums } from './vote-sums.ts'

type BrandTableName = (typeof BRAND_TABLES)[number]['name']

/** All rows that are kept in memory; those of a brand with 100,000 polls have a third of it. */
const MOST_BYTES = 256 * 1024 * 1024

/** The rows of an archive, each checked by itself when it is read. */
export class BrandContent {
  readonly sums = new VoteSums()
  readonly #spilled: SpilledRows
  readonly #rows = new Map<BrandTableName, Row[]>()
  readonly #places = new WeakMap<Row, string>()
  #bytes = 0

  constructor(spilled: SpilledRows) {
    this.#spilled = spilled
  }

  of(table: BrandTableName): readonly Row[] {
    return this.#rows.get(table) ?? []
  }

  count(table: BrandTableName): number {
    return this.of(table).length + this.#spilled.count(table)
  }

  placeOf = (row: Row): string => this.#places.get(row) ?? 'a row'

  /** The rows of this entry, for the tables that are kept in memory. */
  async take(entry: { name: string; bytes: number; chunks: AsyncIterable<Uint8Array> }, prefixes: Prefixes) {
    const { name } = entry
    const table = BRAND_TABLES.find((each) => name.startsWith(`${ROWS_FOLDER}${each.name}/`))
    if (!table) throw new PlainFailure(`The archive holds ${quoted(name)}, which is unknown. Nothing was written.`)
    if (!table.onlyWithVotes) this.#bytes += entry.bytes
    if (entry.bytes > MOST_BYTES || this.#bytes > MOST_BYTES) {
      throw archiveFault(
        printable(name),
        `An archive has at most ${MOST_BYTES} bytes of rows besides votes, and no longer entry.`,
      )
    }
    const text = await textOfChunks(entry.chunks, MOST_BYTES)
    const rows = rowsOf(text)
    if (!rows) throw archiveFault(printable(name), 'Must be a list of rows in JSON.')
    const checked = rows.map((row, i) => {
      const place = `${printable(name)}, row ${i + 1}`
      const moved = movedAddresses(table.name, row, { prefixes, place })
      const good = checkRow(table.name, moved, place)
      this.#places.set(good, place)
      return good
    })
    if (table.onlyWithVotes) {
      this.sums.add(table.name, checked, this.placeOf)
      this.#spilled.add(table.name, text, rows.length)
    } else this.#rows.set(table.name, [...this.of(table.name), ...checked])
    return checked
  }
}
