// features/analytics/mails: news and weekly digests of polls, for the members who want them.
import type { Lang } from '../../../../../embed/src/words.ts'
import { MINUTE } from '../../../base/clock.ts'
import { type Role, SCOPES_OF_ROLE } from '../../../base/roles.ts'
import type { Db } from '../../../db/store.ts'
import type { Deps } from '../../deps.ts'
import type { Message } from '../../people/mail/mailer.ts'

export interface Membership {
  readonly brand_key: number
  readonly person_key: number
}

/** The members whose turn it is, in one run of a job. */
export const MOST_AT_ONCE = 50
/** Several news within this time are one mail, and a mail that failed is tried again after it. */
export const LEAST_BETWEEN = 15 * MINUTE

export type Recipient = NonNullable<Awaited<ReturnType<typeof findRecipient>>>

/** Null for a member who may not see numbers, or whose brand is gone. */
export async function findRecipient(db: Db, { brand_key, person_key }: Membership) {
  const row = await db
    .selectFrom('members')
    .innerJoin('people', 'people.key', 'members.person_key')
    .innerJoin('brands', 'brands.key', 'members.brand_key')
    .select(['people.id as memberId', 'people.email', 'members.role', 'mail_lang'])
    .select(['is_mailed_closed', 'is_mailed_first', 'is_mailed_round'])
    .select(['brands.key as brandKey', 'brands.id as brandId', 'brands.slug', 'brands.name', 'theme', 'avatar_url'])
    .where('members.brand_key', '=', brand_key)
    .where('members.person_key', '=', person_key)
    .where('brands.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row || !SCOPES_OF_ROLE[row.role as Role].includes('analytics')) return null
  return { ...row, lang: row.mail_lang as Lang }
}

/** The deps of the jobs. The mailer is that of the server, which ends its mails before the server stops. */
export interface MailDeps {
  readonly deps: Deps
  readonly mailer: { readonly isOn: boolean; deliver(message: Message): Promise<void> }
}

/**
 * False if the mail may be tried again later. An address that the mail server refuses for good is not: repeated attempts would
 * make the sender look like a spammer. The mailer has logged the failure.
 */
export async function isDone(delivery: Promise<void>): Promise<boolean> {
  try {
    await delivery
    return true
  } catch (error) {
    const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
    return code === 'EENVELOPE' && responseCode >= 500
  }
}
