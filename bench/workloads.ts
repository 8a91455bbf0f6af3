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
const bun = ['bare Bun', 'Bun with our headers'] as const
const withBare = [...bun, ...tossup] as const
/** Each subject next to its yardstick, because PostgreSQL continues to work for a while after a turn. */
const onPostgres = ['by hand on PostgreSQL', 'Tossup on PostgreSQL'] as const
const withAll = [...bun, 'Tossup on SQLite', ...onPostgres] as const
const votesOnSqlite = [...bun, 'by hand on SQLite', 'Tossup on SQLite'] as const
const withLimit = [...votesOnSqlite, 'Tossup on SQLite, network limit', ...onPostgres] as const

const onlyReads = (readPath: string) => async (): Promise<Plan> => ({ reads: 1, votes: 0, readPath })

export const workloads: readonly Workload[] = [
  {
    name: 'hot',
    title: 'votes on one poll',
    subjects: withLimit,
    plan: async () => ({ reads: 0, votes: 1, votePaths: [hotVotes] }),
  },
  {
    name: 'spread',
    title: 'votes over 100 polls',
    subjects: [...votesOnSqlite, ...onPostgres],
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

/** What each subject is compared with: votes on PostgreSQL with the hand-written server, all others with bare Bun. */
export function yardstickOf(workload: Workload, subject: SubjectName): SubjectName | null {
  if (subject === 'Bun with our headers' || subject === 'by hand on SQLite') return 'bare Bun'
  if (!subject.startsWith('Tossup')) return null
  const isVoting = workload.name === 'hot' || workload.name === 'spread'
  return subject === 'Tossup on PostgreSQL' && isVoting ? 'by hand on PostgreSQL' : 'bare Bun'
}
