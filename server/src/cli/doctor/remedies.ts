// cli/doctor: what can be wrong with a server and its surroundings, one file for each part.

// Findings of `tossup doctor` beside FINDINGS, which the operator's page shows too. docs/guides/run.md lists both.

import { FINDINGS, type FindingCode } from '../../features/operator/findings.ts'

interface Remedy {
  /** The part of the installation that is examined. */
  readonly part: string
  readonly level: 'warning' | 'fault'
  /** In the guide. The doctor names the file or the address. */
  readonly about: string
  /** Values are in braces. */
  readonly advice: string
}

const fault = (part: string, about: string, advice: string): Remedy => ({ part, level: 'fault', about, advice })
const warning = (part: string, about: string, advice: string): Remedy => ({ part, level: 'warning', about, advice })

export const REMEDIES = {
  setting_wrong: fault('settings', 'a setting cannot be read', 'Correct it: tossup help settings lists all of them.'),
  setting_misspelled: warning('settings', 'a variable is no setting, but nearly one', 'Did you mean {meant}?'),
  folder_missing: warning('disk', '`DATA_DIR` does not exist', 'Set DATA_DIR to the folder of your server.'),
  restore_unfinished: fault(
    'disk',
    'a restore was interrupted',
    'Run tossup restore again, or remove the folder {folder}/restoring.',
  ),
  folder_unusable: fault('disk', '`DATA_DIR` cannot be used', 'Make DATA_DIR {folder} writable for this user.'),
  disk_slow: warning(
    'disk speed',
    'a durable write takes 20 ms or more',
    'Every vote waits for such a write. Use a local SSD, not a network disk.',
  ),
  database_unusable: fault(
    'database',
    'the database does not answer, or refuses',
    'Correct DATABASE_URL or DATA_DIR, or start the database. If its file is damaged, restore the newest backup into another folder.',
  ),
  database_damaged: fault(
    'database',
    'the database is damaged',
    'Stop the server, keep all files of DATA_DIR as they are, and restore the newest backup into another folder with tossup restore.',
  ),
  migrations_newer: fault('migrations', 'the database is of a newer version', 'Install the newer version.'),
  migrations_missing: warning(
    'migrations',
    'migrations are not applied',
    'Make a backup with the version that serves now, then start this one or run tossup migrate.',
  ),
  secret_file_wrong: fault(
    'secret',
    '`secret.key` does not open the data keys',
    'Put the secret of this database into SECRET_KEY, or its secret.key back into DATA_DIR.',
  ),
  secret_wrong: fault(
    'secret',
    '`SECRET_KEY` does not open the data keys',
    'Set SECRET_KEY to the secret of this database.',
  ),
  secret_open: fault(
    'secret',
    'other users of the machine can read `secret.key`',
    'Run tossup doctor --fix, which sets mode 600. Where files have no modes, set SECRET_KEY instead.',
  ),
  logs_ahead: fault(
    'logs',
    'the log of a poll holds votes that the database has lost',
    'Run tossup verify, and keep the files as they are. If commits were lost in a failover or a recovery, run tossup log restart.',
  ),
  pictures_missing: fault(
    'pictures',
    'pictures are missing or damaged',
    'Restore them from a backup, or run tossup storage move if they are elsewhere.',
  ),
  pictures_away: fault('pictures', 'the store of the pictures cannot be read', 'Make {store} available.'),
  backups_none: warning('backups', '`BACKUP_URL` has no backup yet', 'Run tossup backup.'),
  backups_unwritable: fault(
    'backups',
    '`BACKUP_URL` cannot be used or written',
    'Correct BACKUP_URL, or let the user of the server write there; in a unit of systemd, name the folder in ReadWritePaths=.',
  ),
  mail_open: warning(
    'SMTP',
    'the mail server is reached without encryption',
    'Use a port with STARTTLS (587), or smtps:// (465), unless the network in between is yours.',
  ),
  mail_login: fault(
    'SMTP',
    'the mail server refuses the user or the password',
    'Correct the user and the password in SMTP_URL; write @ as %40 in either.',
  ),
  mail_encryption: fault(
    'SMTP',
    'the encryption of the mail server fails',
    'Check the certificate of the server, and the port {port}: smtps:// is encrypted from the start, smtp:// begins with STARTTLS.',
  ),
  mail_away: fault(
    'SMTP',
    'the mail server does not answer',
    'Correct the host and the port in SMTP_URL, or start the mail server. Invitations and sign-in links cannot be sent.',
  ),
  address_foreign: fault(
    'PUBLIC_URL',
    '`PUBLIC_URL` leads to another program',
    'Check where the name points and what the proxy forwards.',
  ),
  address_other: fault(
    'PUBLIC_URL',
    '`PUBLIC_URL` leads to another Tossup, with another database',
    'Point the name and the proxy to this server, or use the settings of that one. After a move, the old server may still run.',
  ),
  address_away: fault(
    'PUBLIC_URL',
    '`PUBLIC_URL` cannot be reached',
    'Start the server, or correct PUBLIC_URL, DNS, the proxy or its certificate.',
  ),
} satisfies Record<string, Remedy>

export type RemedyCode = keyof typeof REMEDIES

export interface Finding {
  /** The part of the installation that was examined. */
  readonly part: string
  readonly status: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** The advice on how to fix it; null if nothing has to be done. */
  readonly advice: string | null
}

type Values = Readonly<Record<string, string | number>>

export const ok = (part: string, found: string): Finding => ({ part, status: 'ok', found, advice: null })

/** A finding of the doctor's own list. */
export function problem(code: RemedyCode, found: string, values: Values = {}): Finding {
  const { part, level, advice } = REMEDIES[code]
  return { part, status: level, found, advice: filled(advice, values) }
}

/** A finding of the list that the operator's page shows too, in the same words. */
export function listed(
  part: string,
  code: FindingCode,
  { values = {}, example }: { values?: Values; example?: string } = {},
): Finding {
  const { level, title, advice } = FINDINGS[code]
  const found = example === undefined ? title : `${title}: ${example}`
  return { part, status: level, found, advice: filled(advice, values) }
}

const filled = (advice: string, values: Values): string =>
  advice.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
