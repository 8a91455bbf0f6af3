import { iso, isoOrNull } from '../../base/clock.ts'
import { PlainFailure } from '../../base/errors.ts'
import { ROLES, type Role } from '../../base/roles.ts'
import { transaction } from '../../db/transaction.ts'
import { emailKey, isEmail } from '../../features/people/email.ts'
import { createSignInLink, findMemberByEmail, invite, setOperator } from '../../features/people/links.ts'
import { invitationMail, LONGEST_MS, Mailer } from '../../features/people/mail/mailer.ts'
import {
  everyMember,
  findMemberByKey,
  invitationSubject,
  memberSubject,
  removeMember,
} from '../../features/people/members.ts'
import { type Arguments, type Command, requiredArgument, requiredText, UsageError } from '../command.ts'
import { brandNamed, operatorWrite, withDatabase } from '../with-database.ts'

const BRAND = { type: 'string', about: 'The slug of the brand' } as const
const EMAIL = { type: 'string', about: 'The address of the member' } as const

export const memberInvite: Command = {
  words: 'member invite',
  usage: `--brand SLUG --email ADDRESS --role ${ROLES.join('|')}`,
  summary: 'Invite a person to a brand, and print the one-time link; with SMTP_URL it is mailed too',
  options: { brand: BRAND, email: EMAIL, role: { type: 'string', about: 'What the member may do', values: ROLES } },
  run(given) {
    const slug = requiredText(given, 'brand')
    const email = readEmail(given)
    // The table of options refuses any other.
    const role = requiredText(given, 'role') as Role
    return withDatabase(async (deps) => {
      const mailer = new Mailer(deps.config, { warn: (_fields: object, message?: string) => console.error(message) })
      const { invited, mail } = await operatorWrite(deps, 'invitation.created', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, slug)
        const made = await invite(deps, tx, { brandKey, email, role })
        const result = { invited: made, mail: await invitationMail(deps, tx, { invited: made, brandKey, lang: 'en' }) }
        return { result, brandKey, subject: invitationSubject(made.invitation) }
      })
      mailer.send(mail)
      await mailer.close(LONGEST_MS)
      const { url, invitation } = invited
      const expiresAt = iso(invitation.expires_at)
      return {
        json: { url, expiresAt },
        text: [`Give ${email} this link. It works once, until ${expiresAt}:`, `  ${url}`],
      }
    })
  },
}

export const memberLink: Command = {
  words: 'member link',
  usage: '--email ADDRESS',
  summary: 'Print a one-time link that signs a member in',
  options: { email: EMAIL },
  run(given) {
    const email = readEmail(given)
    return withDatabase(async (deps) => {
      const person = await findMemberByEmail(deps.engine.db, emailKey(email))
      if (!person) throw new PlainFailure(`No member has the address ${email}.`)
      // The operator vouches for the address, as a mail to it would: what an unproven account has from before ends.
      const { url, expiresAt: end } = await transaction(deps.engine, (tx) =>
        createSignInLink(deps, tx, { personKey: person.key, isMailed: true }),
      )
      const expiresAt = iso(end)
      return {
        json: { url, expiresAt },
        text: [`The link signs in as ${person.email}, once, until ${expiresAt}:`, `  ${url}`],
      }
    })
  },
}

export const memberList: Command = {
  words: 'member list',
  usage: '--brand SLUG',
  summary: 'List the members of a brand',
  options: { brand: BRAND },
  run(given) {
    const slug = requiredText(given, 'brand')
    return withDatabase(async ({ engine }) => {
      const rows = await everyMember(engine.db, (await brandNamed(engine.db, slug)).key)
      const members = rows.map((row) => ({
        memberId: row.id,
        email: row.email,
        role: row.role,
        operator: row.is_operator === 1,
        createdAt: iso(row.created_at),
        lastSeenAt: isoOrNull(row.last_seen_at),
      }))
      const lines = members.map(({ email, role, operator, lastSeenAt }) =>
        [email, operator ? `${role}, operator` : role, lastSeenAt ?? 'never seen'].join('  '),
      )
      return { json: { members }, text: lines.length === 0 ? 'The brand has no members.' : lines }
    })
  },
}

export const memberOperator: Command = {
  words: 'member operator',
  usage: 'EMAIL [--remove]',
  summary: 'Let a member see the state of the whole service, at /console/_service',
  details: `The role gives no access to a brand. The person must work for a brand, because nobody else can sign in.
It begins and ends with the next request. An address that the person has not proven yet loses its sessions: print a link with \`tossup member link\`.`,
  options: { remove: { type: 'boolean', about: 'Take the role away' } },
  positionals: 1,
  run(given) {
    const email = requiredArgument(given, 'EMAIL')
    if (!isEmail(email)) throw new UsageError('EMAIL must be an email address, such as ada@example.com.')
    const isOperator = given.values['remove'] !== true
    return withDatabase(async ({ engine }) => {
      const isFound = await transaction(engine, (tx) => setOperator(tx, emailKey(email), isOperator))
      if (!isFound)
        throw new PlainFailure(`No member has the address ${email}. Invite them first: tossup member invite.`)
      const text = isOperator
        ? `${email} is an operator now, and finds the state of the service at /console/_service.`
        : `${email} is no operator any more.`
      return { json: { email, operator: isOperator }, text }
    })
  },
}

export const memberRemove: Command = {
  words: 'member remove',
  usage: '--brand SLUG --email ADDRESS',
  summary: 'Remove a member from a brand: their access tokens stop working at once',
  options: { brand: BRAND, email: EMAIL },
  run(given) {
    const slug = requiredText(given, 'brand')
    const email = readEmail(given)
    return withDatabase(async (deps) => {
      await operatorWrite(deps, 'member.removed', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, slug)
        const member = await findMemberByKey(tx, brandKey, emailKey(email))
        if (!member) throw new PlainFailure(`No member of ${slug} has the address ${email}.`)
        const subject = memberSubject(await removeMember(tx, { brandKey, memberId: member.id }))
        return { result: null, brandKey, subject }
      })
      return { json: { removed: true, email }, text: `Removed ${email} from ${slug}.` }
    })
  },
}

function readEmail(given: Arguments): string {
  const email = requiredText(given, 'email')
  if (!isEmail(email)) throw new UsageError('--email must be an email address, such as ada@example.com.')
  return email
}
