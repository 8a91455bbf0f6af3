import { KeptResults } from '../../../base/cache.ts'
import { DAY, HOUR } from '../../../base/clock.ts'
import type { Db } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import { lastDigestTime, nextDigestTime } from '../../people/mail/preferences.ts'
import { newsFlag } from '../../people/mail/queue-news.ts'
import { pollsByKey } from '../../polls/queries.ts'
import { type SummarySources, summaryOf } from '../summary.ts'
import {
  findRecipient,
  isDone,
  LEAST_BETWEEN,
  type MailDeps,
  type Membership,
  MOST_AT_ONCE,
  type Recipient,
} from './recipients.ts'
import { digestMail, type News, newsMail } from './write-mail.ts'

/** The rest comes with the next mail. */
const MOST_IN_A_MAIL = 20
/** Later it is no news: the mail server was away, or not set up. */
const NEWS_FOR = DAY

/** Mails what is queued: one mail for each member and brand, with all their news. True if there may be more. */
export async function sendNews({ deps, mailer }: MailDeps, now: number): Promise<boolean> {
  if (!mailer.isOn) return false
  const due = await membersWithNews(deps.engine.db, now)
  await Promise.all(due.map((member) => sendTo({ deps, mailer }, member, now)))
  return due.length === MOST_AT_ONCE
}

const membersWithNews = (db: Db, now: number): Promise<Membership[]> =>
  db
    .selectFrom('member_mails')
    .innerJoin('members', (join) =>
      join
        .onRef('members.brand_key', '=', 'member_mails.brand_key')
        .onRef('members.person_key', '=', 'member_mails.person_key'),
    )
    .select(['member_mails.brand_key', 'member_mails.person_key'])
    .where('member_mails.sent_at', 'is', null)
    .where((of) => of.or([of('mailed_at', 'is', null), of('mailed_at', '<=', now - LEAST_BETWEEN)]))
    .groupBy(['member_mails.brand_key', 'member_mails.person_key'])
    .orderBy('member_mails.brand_key')
    .orderBy('member_mails.person_key')
    .limit(MOST_AT_ONCE)
    .execute()

async function sendTo({ deps, mailer }: MailDeps, member: Membership, now: number): Promise<void> {
  if (!(await claim(deps, member, now))) return
  const { db } = deps.engine
  const queued = await queuedFor(db, member)
  const recipient = await findRecipient(db, member)
  const [first, ...others] = recipient ? await newsIn(db, { queued, recipient, now }) : []
  // After a failure, or a crash before the next line, the rows stay queued: sent again after LEAST_BETWEEN.
  if (recipient && first && !(await isDone(mailer.deliver(newsMail(deps, recipient, [first, ...others]))))) return
  const keys = queued.map(({ key }) => key)
  await transaction(deps.engine, (tx) =>
    tx.updateTable('member_mails').set({ sent_at: now }).where('key', 'in', keys).execute(),
  )
}

/** One server of several, and no sooner than LEAST_BETWEEN after the last mail. */
const claim = ({ engine }: MailDeps['deps'], { brand_key, person_key }: Membership, now: number): Promise<boolean> =>
  transaction(engine, async (tx) => {
    const claimed = await tx
      .updateTable('members')
      .set({ mailed_at: now })
      .where('brand_key', '=', brand_key)
      .where('person_key', '=', person_key)
      .where((of) => of.or([of('mailed_at', 'is', null), of('mailed_at', '<=', now - LEAST_BETWEEN)]))
      .returning('person_key')
      .executeTakeFirst()
    return claimed !== undefined
  })

const queuedFor = (db: Db, { brand_key, person_key }: Membership) =>
  db
    .selectFrom('member_mails')
    .select(['key', 'poll_key', 'total', 'created_at'])
    .where('brand_key', '=', brand_key)
    .where('person_key', '=', person_key)
    .where('sent_at', 'is', null)
    .orderBy('key')
    .limit(MOST_IN_A_MAIL)
    .execute()

/** Without what is old, what the member no longer wants, and polls that are deleted. The counts are those of now. */
async function newsIn(
  db: Db,
  { queued, recipient, now }: { queued: Awaited<ReturnType<typeof queuedFor>>; recipient: Recipient; now: number },
): Promise<News[]> {
  const wanted = queued.filter(
    ({ total, created_at }) => created_at > now - NEWS_FOR && recipient[newsFlag(total)] === 1,
  )
  const rows = await pollsByKey(
    db,
    wanted.map(({ poll_key }) => poll_key),
  )
  return wanted.flatMap(({ poll_key, total }): News[] => {
    const row = rows.find(({ key }) => key === poll_key)
    if (!row) return []
    const labels = { A: row.label_a, B: row.label_b }
    const { slug, title, option_a: optionA, option_b: optionB } = row
    return [{ total, slug, title, labels, optionA, optionB, isBallot: row.code_list_key !== null }]
  })
}

const DAYS = 7
/** A digest that could not be sent by then is left out. */
const WITHIN = DAY

/** The digests of last week, Monday to Sunday in UTC. True if there may be more. */
export async function sendDigests({ deps, mailer }: MailDeps, now: number): Promise<boolean> {
  if (!mailer.isOn) return false
  const due = await deps.engine.db
    .selectFrom('members')
    .select(['brand_key', 'person_key', 'digest_at'])
    .where('digest_at', '<=', now)
    .orderBy('digest_at')
    .limit(MOST_AT_ONCE)
    .execute()
  // One reading of a brand's votes serves all its members.
  const kept: SummarySources['kept'] = new KeptResults()
  await Promise.all(
    due.map(async (member) => {
      // Another server may have claimed it. After a crash it is due again.
      if (!(await setDue(deps, { ...member, to: now + LEAST_BETWEEN }))) return
      if (await send({ deps, mailer }, { member, kept, now }))
        await setDue(deps, { ...member, digest_at: now + LEAST_BETWEEN, to: nextDigestTime(now) })
    }),
  )
  return due.length === MOST_AT_ONCE
}

/** False if the time has changed since: by another server, or by the member. */
const setDue = (
  { engine }: MailDeps['deps'],
  { brand_key, person_key, digest_at, to }: Membership & { readonly digest_at: number | null; readonly to: number },
): Promise<boolean> =>
  transaction(engine, async (tx) => {
    const changed = await tx
      .updateTable('members')
      .set({ digest_at: to })
      .where('brand_key', '=', brand_key)
      .where('person_key', '=', person_key)
      .where('digest_at', '=', digest_at)
      .returning('person_key')
      .executeTakeFirst()
    return changed !== undefined
  })

/** False if it may be tried again. */
async function send(
  { deps, mailer }: MailDeps,
  { member, kept, now }: { member: Membership; kept: SummarySources['kept']; now: number },
): Promise<boolean> {
  const due = lastDigestTime(now)
  const recipient = await findRecipient(deps.engine.db, member)
  if (!recipient || now - due > WITHIN) return true
  const sunday = due - (due % DAY) - HOUR
  const { brandKey } = recipient
  const summary = await summaryOf({ deps, kept }, { brandKey, days: DAYS, tz: 'UTC', now: sunday })
  return summary.votes.span === 0 || isDone(mailer.deliver(digestMail(deps, recipient, summary)))
}
