import { KeptResults } from '../../../base/cache.ts'
import { DAY, HOUR } from '../../../base/clock.ts'
import { transaction } from '../../../db/transaction.ts'
import { lastDigestTime, nextDigestTime } from '../../people/mail/preferences.ts'
import { type SummarySources, summaryOf } from '../summary.ts'
import { findRecipient, isDone, LEAST_BETWEEN, type MailDeps, type Membership, MOST_AT_ONCE } from './recipients.ts'
import { digestMail } from './write-mail.ts'

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
