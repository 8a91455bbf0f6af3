import { UsageError } from '../arguments.ts'
import type { Plan } from './load.ts'
import {
  firstFeedPage,
  hotPoll,
  hotTallies,
  hotVotes,
  type Subject,
  type SubjectName,
  spreadVotes,
} from './subjects.ts'

export interface Workload {
  readonly name: 'hot' | 'spread' | 'reads' | 'tallies' | 'feed' | 'mixed' | '304'
  readonly title: string
  /** In the order in which they are shown. */
  readonly subjects: readonly SubjectName[]
  plan(subject: Subject): Promise<Plan>
}

const tossup = ['Tossup on SQLite', 'Tossup on PostgreSQL'] as const
const withBare = ['bare Bun', ...tossup] as const
/** Each subject next to its yardstick, because PostgreSQL continues to work for a while after a turn. */
const onPostgres = ['by hand on PostgreSQL', 'Tossup on PostgreSQL'] as const
const withAll = ['bare Bun', 'Tossup on SQLite', ...onPostgres] as const
const withLimit = ['bare Bun', 'Tossup on SQLite', 'Tossup on SQLite, network limit', ...onPostgres] as const

const onlyReads = (readPath: string) => async (): Promise<Plan> => ({ reads: 1, votes: 0, readPath })

const workloads: readonly Workload[] = [
  {
    name: 'hot',
    title: 'votes on one poll',
    subjects: withLimit,
    plan: async () => ({ reads: 0, votes: 1, votePaths: [hotVotes] }),
  },
  {
    name: 'spread',
    title: 'votes over 100 polls',
    subjects: withAll,
    plan: async () => ({ reads: 0, votes: 1, votePaths: spreadVotes }),
  },
  { name: 'reads', title: 'reads of a poll', subjects: withAll, plan: onlyReads(hotPoll) },
  { name: 'tallies', title: 'reads of tallies', subjects: withBare, plan: onlyReads(hotTallies) },
  { name: 'feed', title: 'first feed page', subjects: withBare, plan: onlyReads(firstFeedPage) },
  {
    name: 'mixed',
    title: '95 reads to 5 votes',
    subjects: withAll,
    plan: async () => ({ reads: 19, votes: 1, readPath: hotPoll, votePaths: [hotVotes] }),
  },
  {
    name: '304',
    title: 'reads answered 304',
    subjects: withBare,
    plan: async (subject) => ({ reads: 1, votes: 0, readPath: hotPoll, etag: await subject.etag(hotPoll) }),
  },
]

/** Compares votes on PostgreSQL with the hand-written server, and all others with bare Bun. */
export function yardstickOf(workload: Workload, subject: SubjectName): SubjectName | null {
  if (!subject.startsWith('Tossup')) return null
  const isVoting = workload.name === 'hot' || workload.name === 'spread'
  return subject === 'Tossup on PostgreSQL' && isVoting ? 'by hand on PostgreSQL' : 'bare Bun'
}

export function chooseWorkloads(only: string | null): readonly Workload[] {
  if (only === null) return workloads
  const wanted: readonly string[] = only.split(',')
  const chosen = workloads.filter(({ name }) => wanted.includes(name))
  if (chosen.length < wanted.length)
    throw new UsageError(`--only takes some of ${workloads.map(({ name }) => name).join(', ')}.`)
  return chosen
}
