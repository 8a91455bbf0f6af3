import { openSync, readFileSync, writeSync } from 'node:fs'
import { PlainFailure, reasonOf } from '../../base/errors.ts'
import { nameOrNull } from '../../base/fields.ts'
import { counted } from '../../base/text.ts'
import type { Db } from '../../db/store.ts'
import { issueCodes, revokeCodes } from '../../features/codes/issue-codes.ts'
import { createCodeList, deleteCodeList } from '../../features/codes/lists.ts'
import {
  allCodeLists,
  type CodeListRow,
  findAnyCodeList,
  findCampaignWithList,
  findPollWithList,
} from '../../features/codes/queries.ts'
import { codeListSubject, MOST_CODES, presentCodeList } from '../../features/codes/schema.ts'
import type { WriteDeps } from '../../features/deps.ts'
import {
  type Command,
  confirm,
  optionalText,
  requiredArgument,
  requiredText,
  UsageError,
  wholeNumber,
} from '../command.ts'
import { brandNamed, operatorWrite, withDatabase } from '../with-database.ts'

/** In one transaction, which the votes of a server wait for. */
const AT_ONCE = 1_000

export const codeListCreate: Command = {
  words: 'code-list create',
  usage: '--brand SLUG --name NAME',
  summary: 'Create a list of codes of a brand and print its id',
  options: {
    brand: { type: 'string', about: 'The slug of the brand' },
    name: { type: 'string', about: 'Its name: 1 to 80 characters, unique in the brand' },
  },
  run(given) {
    const brand = requiredText(given, 'brand')
    const name = nameOrNull(requiredText(given, 'name'))
    if (name === null) throw new UsageError('--name must have 1 to 80 characters.')
    return withDatabase(async (deps) => {
      const list = await operatorWrite(deps, 'code_list.created', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, brand)
        const made = await createCodeList(deps, tx, { brandKey, name })
        return { result: made, brandKey, subject: codeListSubject(made) }
      })
      return { json: presentCodeList(list), text: `Created the code list ${list.name} (${list.id}).` }
    })
  },
}

export const codeListList: Command = {
  words: 'code-list list',
  usage: '--brand SLUG',
  summary: 'List the code lists of a brand, with the numbers of their codes',
  options: { brand: { type: 'string', about: 'The slug of the brand' } },
  run(given) {
    const brand = requiredText(given, 'brand')
    return withDatabase(async ({ engine }) => {
      const { key } = await brandNamed(engine.db, brand)
      const lists = (await allCodeLists(engine.db, key)).map(presentCodeList)
      const lines = lists.map(({ codeListId, name, issued, used, revoked, polls }) =>
        [codeListId, name, `${issued} issued`, `${used} used`, `${revoked} revoked`, counted(polls, 'poll')].join('  '),
      )
      return { json: { codeLists: lists }, text: lines.length === 0 ? 'There are no code lists.' : lines }
    })
  },
}

export const codeListDelete: Command = {
  words: 'code-list delete',
  usage: 'LIST [--yes]',
  summary: 'Delete a code list and its codes; refused while a poll names it',
  positionals: 1,
  options: { yes: { type: 'boolean', about: 'Do not ask' } },
  run(given) {
    const id = requiredArgument(given, 'LIST')
    return withDatabase(async (deps) => {
      const { name, issued } = await listNamed(deps.engine.db, id)
      await confirm(given, {
        what: `This deletes the code list ${name} with ${counted(issued, 'code')}.`,
        word: 'delete',
      })
      await operatorWrite(deps, 'code_list.deleted', async (tx) => {
        const { brand_key: brandKey } = await listNamed(tx, id)
        const list = await deleteCodeList(deps, tx, { brandKey, id })
        return { result: null, brandKey, subject: codeListSubject(list) }
      })
      return { json: { deleted: true, codeListId: id }, text: `Deleted the code list ${name}.` }
    })
  },
}

export const codeIssue: Command = {
  words: 'code issue',
  usage: 'LIST --count N [--poll SLUG | --campaign ID] [--out FILE]',
  summary: 'Issue codes and print them once, as CSV with a link each if a poll or a campaign is given',
  positionals: 1,
  options: {
    count: { type: 'string', about: `How many: 1 to ${MOST_CODES}` },
    poll: { type: 'string', about: 'The poll that the links open: its slug, shortId or id' },
    campaign: { type: 'string', about: 'The id of the campaign that the links open' },
    out: { type: 'string', about: 'A new file for the codes, which only you can read; standard output by default' },
  },
  run(given) {
    const id = requiredArgument(given, 'LIST')
    const count = wholeNumber('count', requiredText(given, 'count'), { least: 1, most: MOST_CODES })
    const [poll, campaign] = [optionalText(given, 'poll'), optionalText(given, 'campaign')]
    if (poll !== null && campaign !== null) throw new UsageError('Give --poll or --campaign, not both.')
    const out = optionalText(given, 'out')
    return withDatabase(async (deps) => {
      const list = await listNamed(deps.engine.db, id)
      const address = await addressOf(deps.engine.db, list, { poll, campaign })
      if (list.issued + count > MOST_CODES)
        throw new PlainFailure(`A list has at most ${MOST_CODES} codes, and this one has ${list.issued}.`)
      const rowOf = (code: string) =>
        address === null ? [code] : [code, `${deps.config.publicUrl}${address}#code=${code}`]
      const write = out === null ? null : openNew(out)
      const head = address === null ? 'code' : 'code,link'
      const rows: string[][] = []
      write?.(`${head}\r\n`)
      for (let left = count; left > 0; left -= AT_ONCE) {
        const added = (await issueSome(deps, list, Math.min(left, AT_ONCE))).map(rowOf)
        write?.(added.map((row) => `${row.join(',')}\r\n`).join(''))
        rows.push(...added)
      }
      const issued = { codeListId: list.id, issued: count }
      if (out !== null)
        return {
          json: { ...issued, file: out },
          text: `Wrote ${counted(count, 'code')} to ${out}. They are not shown again.`,
        }
      const codes = rows.map(([code, link]) => ({ code, ...(link === undefined ? {} : { link }) }))
      return { json: { ...issued, codes }, text: [head, ...rows.map((row) => row.join(','))] }
    })
  },
}

const issueSome = (deps: Parameters<typeof issueCodes>[0] & WriteDeps, list: CodeListRow, count: number) =>
  operatorWrite(deps, 'codes.issued', async (tx) => {
    const { codes } = await issueCodes(deps, tx, { brandKey: list.brand_key, id: list.id, count })
    return { result: codes, brandKey: list.brand_key, subject: codeListSubject(list) }
  })

export const codeRevoke: Command = {
  words: 'code revoke',
  usage: 'LIST FILE',
  summary: 'Revoke the codes of a file, one a line or the first column of a CSV file; - reads standard input',
  positionals: 2,
  run(given) {
    const id = requiredArgument(given, 'LIST')
    const [, path] = given.positionals
    if (!path) throw new UsageError('FILE is missing or empty.')
    const codes = readCodes(path)
    return withDatabase(async (deps) => {
      const list = await listNamed(deps.engine.db, id)
      const sums = { revoked: 0, unknown: 0 }
      for (let at = 0; at < codes.length; at += AT_ONCE) {
        const { revoked, unknown } = await operatorWrite(deps, 'codes.revoked', async (tx) => {
          const wanted = { brandKey: list.brand_key, id, codes: codes.slice(at, at + AT_ONCE) }
          const result = await revokeCodes(deps, tx, wanted)
          return { result, brandKey: list.brand_key, subject: codeListSubject(list) }
        })
        sums.revoked += revoked
        sums.unknown += unknown
      }
      const text = `Revoked ${counted(sums.revoked, 'code')}. ${counted(sums.unknown, 'line is', 'lines are')} no code of the list.`
      return { json: sums, text }
    })
  },
}

async function listNamed(db: Db, id: string): Promise<CodeListRow> {
  const list = await findAnyCodeList(db, id)
  if (!list) throw new PlainFailure(`There is no code list with the id ${id}.`)
  return list
}

interface Opened {
  readonly poll: string | null
  readonly campaign: string | null
}

/** The path of the page that asks for codes of this list; null if none is wanted. */
async function addressOf(db: Db, { key }: CodeListRow, { poll, campaign }: Opened): Promise<string | null> {
  if (poll !== null) {
    const found = await findPollWithList(db, key, poll)
    if (!found) throw new PlainFailure(`There is no poll ${poll} that asks for codes of this list.`)
    return `/p/${found.short_id}`
  }
  if (campaign === null) return null
  const found = await findCampaignWithList(db, key, campaign)
  if (!found) throw new PlainFailure(`There is no campaign ${campaign} whose polls ask for codes of this list.`)
  return `/c/${found.id}`
}

/** Opened before codes are issued, because they cannot be shown again. */
function openNew(path: string): (text: string) => void {
  try {
    const file = openSync(path, 'wx', 0o600)
    return (text) => {
      writeSync(file, text)
    }
  } catch (error) {
    throw new PlainFailure(`Cannot create the file ${path}: ${reasonOf(error)}`, { cause: error })
  }
}

function readCodes(path: string): string[] {
  try {
    const lines = readFileSync(path === '-' ? 0 : path, 'utf8').split(/\r?\n/)
    const first = lines.map(
      (line) =>
        line
          .split(/[,;\t]/)[0]
          ?.trim()
          .replaceAll('"', '') ?? '',
    )
    return first.filter((text, i) => text !== '' && !(i === 0 && text.toLowerCase() === 'code'))
  } catch (error) {
    throw new PlainFailure(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error })
  }
}
