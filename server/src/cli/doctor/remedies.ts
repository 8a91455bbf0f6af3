// Findings of `tossup doctor` beside FINDINGS, which the operator's page shows too. docs/guides/run.md lists both.

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
    'Run the same tossup restore again, or remove the folder {folder}/restoring.',
  ),
  disk_exhausted: fault(
    'disk',
    'nothing can be written, because the disk is full',
    'Free some space, or move DATA_DIR to a larger disk. The server takes votes again by itself when there is room.',
  ),
  owner_differs: fault(
    'disk',
    'a file of `DATA_DIR` belongs to another user than the folder, as after a command that ran as root',
    'Stop the server, give the file to the owner of DATA_DIR with chown {owner} {path}, and run commands as that user.',
  ),
  not_permitted: fault(
    'disk',
    'this user may not use `DATA_DIR`',
    'Run the command as the user of the server, who owns DATA_DIR.',
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
    'Correct DATABASE_URL or DATA_DIR, or start the database.',
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
  clock_wrong: fault(
    'clock',
    'the clocks of this machine and of the database differ by 2 s or more',
    'Synchronise the clocks (NTP): limits, opening times and leases are compared between machines.',
  ),
  pooler_direct: fault(
    'pooler',
    '`DATABASE_URL` leads to a pooler in transaction mode, such as PgBouncer',
    'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself: the pooler drops LISTEN, and locks of migrations.',
  ),
  pooler_prepares: fault(
    'pooler',
    'the pooler does not know prepared statements (SQLSTATE 26000 or 42P05)',
    'Set DATABASE_PREPARE=false, or max_prepared_statements = 200 in a PgBouncer from version 1.21 on.',
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
  bucket_unusable: fault(
    'S3',
    'the bucket of `S3_URL` cannot be used',
    'Check the address, the bucket and the permissions of the key.',
  ),
  redis_away: fault(
    'Redis',
    '`REDIS_URL` does not answer',
    'Start Redis or correct REDIS_URL: without it each server limits on its own.',
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
  version_other: warning(
    'server',
    'the running server is of another version than the command',
    'Restart the server after an upgrade.',
  ),
  server_away: warning('server', '`METRICS_PORT` does not answer', 'Start the server.'),
  open_files_few: warning(
    'open files',
    'a process may open too few files for `STREAMS`',
    'Raise the limit to {advised} (ulimit -n, or LimitNOFILE= of systemd): each connection needs one.',
  ),
} satisfies Record<string, Remedy>

export type RemedyCode = keyof typeof REMEDIES
