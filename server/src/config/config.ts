// config: the settings, each written once, and the only reader of the environment.
import manifest from '../../package.json' with { type: 'json' }
import { PlainFailure } from '../base/errors.ts'
import { nearest } from '../base/text.ts'
import { FOREIGN_S3_TOKENS, type Setting, type SettingValues, settings } from './settings.ts'

export const version: string = manifest.version

export type DatabasePlace =
  | { readonly engine: 'sqlite'; readonly dataDir: string }
  | ({ readonly engine: 'postgres'; readonly url: string } & PostgresConnections)

export interface PostgresConnections {
  /** The database without a pooler. */
  readonly directUrl?: string
  /** The maximum number of connections for requests and jobs. */
  readonly poolSize?: number
  /** Whether statements of the hot paths are prepared once for each connection. */
  readonly isPreparing?: boolean
}

type Combined = 'databaseUrl' | 'databaseDirectUrl' | 'databasePool' | 'databasePrepare' | 'publicUrl'

export interface Config extends Omit<SettingValues, Combined> {
  readonly publicUrl: string
  /** False if `publicUrl` is made of HOST and PORT. */
  readonly hasPublicUrl: boolean
  readonly database: DatabasePlace
}

type Environment = Readonly<Record<string, string | undefined>>

export function readConfig(environment: Environment = process.env): Config {
  const { databaseUrl, databaseDirectUrl, databasePool, databasePrepare, publicUrl, ...values } =
    readSettings(environment)
  const { host, port, dataDir, s3, secretKeys } = values
  if (databaseUrl !== null && secretKeys.length === 0) refuse(settings.secretKeys, 'is required with DATABASE_URL')
  if (databaseUrl === null && databaseDirectUrl !== null) refuse(settings.databaseDirectUrl, 'needs DATABASE_URL')
  const token = FOREIGN_S3_TOKENS.find((name) => textOf(environment, name) !== null)
  if (s3 && token) refuse(settings.s3, `cannot be used while ${token} is set`)
  const [missing] = OIDC.filter((key) => values[key] === null)
  if (missing && OIDC.some((key) => values[key] !== null)) {
    refuse(settings[missing], 'is required with the other OIDC settings')
  }
  const database: DatabasePlace =
    databaseUrl === null
      ? { engine: 'sqlite', dataDir }
      : {
          engine: 'postgres',
          url: databaseUrl,
          directUrl: databaseDirectUrl ?? databaseUrl,
          poolSize: databasePool,
          isPreparing: databasePrepare,
        }
  return Object.freeze({
    ...values,
    publicUrl: publicUrl ?? localUrl(host, port),
    hasPublicUrl: publicUrl !== null,
    database,
  })
}

/** All of them, or none. */
const OIDC = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const

export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** True where only this machine reaches the service, as for a trial. */
export const isLocalUrl = (url: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)

/** Environment variables whose names resemble a setting's. Their values are not read. */
export function misspelledSettings(environment: Environment = process.env): { given: string; meant: string }[] {
  const names = new Map(Object.values(settings).map(({ name }) => [inSingular(name), name]))
  const given = Object.keys(environment).filter((name) => name.length >= SHORTEST_COMPARED)
  return given.flatMap((name) => {
    const meant = names.get(nearest(inSingular(name), names.keys()) ?? '')
    return meant === undefined || isSetting(name) ? [] : [{ given: name, meant }]
  })
}

/** Short names resemble too many variables of other programs: DB_URL and S3_URL, HOME and HOST. */
const SHORTEST_COMPARED = 8

const isSetting = (name: string): boolean => Object.values(settings).some((setting) => setting.name === name)

const inSingular = (name: string): string => name.replace(/IES(?=_|$)/g, 'Y').replace(/S(?=_|$)/g, '')

function readSettings(environment: Environment): SettingValues {
  const values = Object.entries(settings).map(([key, setting]) => [key, readSetting(setting, environment)])
  return Object.fromEntries(values) as SettingValues
}

function readSetting(setting: Setting, environment: Environment): unknown {
  const given = textOf(environment, setting.name)
  if (given === null) return setting.fallback
  const { success, data, error } = setting.kind.safeParse(given)
  return success ? data : refuse(setting, error.issues[0]?.message ?? 'is not valid')
}

const textOf = (environment: Environment, name: string): string | null => environment[name]?.trim() || null

function refuse({ name }: Setting, problem: string): never {
  throw new PlainFailure(`${name} ${problem}.`)
}

/** Where `tossup api` sends requests, and as which app. */
export interface ApiAccess {
  readonly url: string
  readonly key: { readonly id: string; readonly secret: string } | null
}

export function readApiAccess(environment: Environment = process.env): ApiAccess {
  const url = textOf(environment, 'TOSSUP_URL') ?? localUrl('127.0.0.1', 3000)
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new PlainFailure(
      `TOSSUP_URL must be an address such as https://polls.example.com, got ${JSON.stringify(url)}.`,
    )
  }
  const [id, secret] = [textOf(environment, 'TOSSUP_API_KEY_ID'), textOf(environment, 'TOSSUP_API_KEY_SECRET')]
  if ((id === null) !== (secret === null)) {
    throw new PlainFailure('TOSSUP_API_KEY_ID and TOSSUP_API_KEY_SECRET belong together: one of them is missing.')
  }
  return { url, key: id === null || secret === null ? null : { id, secret } }
}
