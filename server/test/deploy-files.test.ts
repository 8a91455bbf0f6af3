import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../src/config/settings.ts'
import { commandVariables } from '../tools/settings-table.ts'
import { type Instruction, readDockerfile, stagesOf, variablesOf } from './dockerfile.ts'

// No Docker engine and no cluster run here: the files are parsed, and held to rules of our own.

const ROOT = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** A tag that names one version: no `latest`, no bare major version. */
const PINNED =
  /^[\w./-]+:(?:v?\d+\.\d+(?:\.\d+)?(?:-[\w.-]+)?|RELEASE\.\d{4}-\d\d-\d\dT[\d-]+Z)(?:@sha256:[0-9a-f]{64})?$/
const SECRET = /SECRET|PASSWORD|TOKEN|DATABASE_URL|REDIS_URL|S3_URL|SMTP_URL/

const known = new Set([...Object.values(settings).map(({ name }) => name), ...Object.keys(commandVariables)])
const unknownOf = (names: readonly string[]) => names.filter((name) => !known.has(name))

interface Container {
  readonly image: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext?: Readonly<Record<string, unknown>>
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly replicas?: number
    readonly minAvailable?: number
    readonly strategy?: { readonly type: string }
    readonly selector?: Readonly<Record<string, unknown>>
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly podSelector?: object
    readonly ingress?: readonly { readonly from?: readonly object[]; readonly ports: readonly object[] }[]
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> }
      readonly spec: {
        readonly securityContext: Readonly<Record<string, unknown>>
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: { claimName: string } }[]
      }
    }
  }
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}
interface ComposeService {
  readonly image?: string
  readonly build?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly privileged?: boolean
}

function expectGoodInstruction({ word, text }: Instruction, stages: readonly string[]): void {
  // ADD fetches and unpacks; a shell form of CMD would keep signals from the server.
  expect(['ADD', 'MAINTAINER', 'SHELL', 'ONBUILD']).not.toContain(word)
  if (word === 'CMD' || word === 'ENTRYPOINT') expect(JSON.parse(text)).toBeArray()
  if (word === 'WORKDIR') expect(text).toStartWith('/')
  if (word === 'RUN') expect(text).not.toMatch(/https?:|\bcurl\b|\bwget\b|\bsudo\b|\bapt(-get)?\b|\bcd\b/)
  if (word !== 'COPY') return
  const [, stage] = /--from=(\w+)/.exec(text) ?? []
  if (stage !== undefined) expect(stages).toContain(stage)
  if (stage !== undefined) return
  const sources = text.split(/\s+/).slice(0, -1)
  expect(sources.filter((path) => !path.startsWith('--') && !existsSync(join(ROOT, path)))).toEqual([])
}

test('the Dockerfile: pinned images, a user without rights, a health check, and no secret', async () => {
  const instructions = await readDockerfile(ROOT)
  const stages = stagesOf(instructions)
  const names = stages.map(([from]) => / AS (\w+)$/.exec(from?.text ?? '')?.[1])
  for (const [from] of stages) expect(from?.text.replace(/ AS \w+$/, '')).toMatch(PINNED)
  const stageNames = names.filter((name) => name !== undefined)
  for (const instruction of instructions) expectGoodInstruction(instruction, stageNames)
  const last = stages.at(-1) ?? []
  const inLast = (word: string) => last.filter((each) => each.word === word).map(({ text }) => text)
  expect(inLast('USER')).toEqual(['10001:10001'])
  expect(last.findIndex(({ word }) => word === 'USER')).toBeLessThan(last.findIndex(({ word }) => word === 'CMD'))
  expect(inLast('HEALTHCHECK')).toEqual([expect.stringMatching(/ CMD \["tossup", "health"\]$/)])
  expect(inLast('RUN')).toEqual([])
  const variables = variablesOf(instructions)
  expect(unknownOf(Object.keys(variables))).toEqual([])
  expect(Object.keys(variables).filter((name) => SECRET.test(name))).toEqual([])
  expect(inLast('VOLUME')).toEqual([variables['DATA_DIR'] ?? ''])
  expect(inLast('EXPOSE')).toEqual([variables['PORT'] ?? ''])
})

test('the image is built from named files: neither data nor secrets of the folder are copied', () => {
  const [first, ...others] = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  expect(first).toBe('*')
  const allowed = others.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(allowed.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  expect(allowed.filter((path) => /(^|\/)(data|dist|node_modules|\.env)/.test(path))).toEqual([])
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  for (const name of workspaces) expect(allowed).toContain(`${name}/package.json`)
})

test.each(['deploy/compose.yaml', 'deploy/compose.full.yaml'])('%s', async (path) => {
  const { services, volumes } = Bun.YAML.parse(read(path)) as Compose
  const image = await readDockerfile(ROOT)
  for (const [name, service] of Object.entries(services)) {
    const isOurs = service.build !== undefined
    if (isOurs) expect(existsSync(join(ROOT, 'deploy', service.build ?? '', 'Dockerfile'))).toBe(true)
    else expect([name, service.image]).toEqual([name, expect.stringMatching(PINNED)])
    expect([name, service.privileged]).toEqual([name, undefined])
    const named = (service.volumes ?? [])
      .filter((volume) => !volume.startsWith('/'))
      .map((text) => text.split(':')[0] ?? '')
    expect(named.filter((volume) => !(volume in volumes))).toEqual([])
    const { depends_on: before = [] } = service
    expect((Array.isArray(before) ? before : Object.keys(before)).filter((other) => !(other in services))).toEqual([])
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      // A secret comes from the environment of the person who starts it, and its absence is refused.
      if (SECRET.test(variable))
        expect([variable, value]).toEqual([variable, expect.stringMatching(/\$\{\w+:\?|^redis:\/\/redis:6379$/)])
    }
  }
  const { tossup } = services
  expect(unknownOf(Object.keys(tossup?.environment ?? {}))).toEqual([])
  expect(tossup).toMatchObject({ read_only: true, cap_drop: ['ALL'], build: '..' })
  const dataDir = variablesOf(image)['DATA_DIR'] ?? ''
  expect(tossup?.volumes?.some((volume) => volume === dataDir || volume.endsWith(`:${dataDir}`))).toBe(true)
})

const kubernetes = readdirSync(join(ROOT, 'deploy/kubernetes')).map((name) => `deploy/kubernetes/${name}`)

test.each(kubernetes)('%s: probes, a sandbox, and parts that fit together', async (path) => {
  const manifests = [Bun.YAML.parse(read(path))].flat() as Manifest[]
  const image = variablesOf(await readDockerfile(ROOT))
  const one = (kind: string) => manifests.find((manifest) => manifest.kind === kind)
  const deployment = one('Deployment')
  const { template, replicas = 0, strategy } = deployment?.spec ?? {}
  if (!template) throw new Error(`${path} has no Deployment`)
  const { securityContext, containers, volumes, terminationGracePeriodSeconds } = template.spec
  expect(securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 10001,
    fsGroup: 10001,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  // The server ends within 20 s of a signal.
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20)
  const [container] = containers
  if (!container || containers.length > 1) throw new Error(`${path} must have one container`)
  expect(container.image).toMatch(PINNED)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  const { env = [], ports = [], volumeMounts = [] } = container
  expect(unknownOf(env.map(({ name }) => name))).toEqual([])
  expect(env.filter(({ name, value }) => SECRET.test(name) && value !== undefined)).toEqual([])
  expect(ports).toContainEqual({ name: 'http', containerPort: Number(image['PORT']) })
  const metricsPort = env.find(({ name }) => name === 'METRICS_PORT')?.value
  expect(ports).toContainEqual({ name: 'metrics', containerPort: Number(metricsPort) })
  expect(container.livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'http' })
  expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' })
  expect(container.startupProbe?.httpGet).toEqual({ path: '/livez', port: 'http' })
  expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual([image['DATA_DIR'] ?? ''])
  expect(volumes.map(({ name }) => name)).toEqual(volumeMounts.map(({ name }) => name))
  const claim = one('PersistentVolumeClaim')
  expect(volumes[0]?.persistentVolumeClaim?.claimName).toBe(claim?.metadata.name)
  const { labels } = template.metadata
  expect(one('Service')?.spec.selector).toEqual(labels)
  expect(one('Service')?.spec.ports).toEqual([expect.objectContaining({ targetPort: 'http' })])
  const [visitors, watchers] = one('NetworkPolicy')?.spec.ingress ?? []
  expect(one('NetworkPolicy')?.spec.podSelector).toEqual({ matchLabels: labels })
  expect(visitors).toEqual({ ports: [{ port: 'http' }] })
  expect(watchers?.ports).toEqual([{ port: 'metrics' }])
  expect(watchers?.from).toHaveLength(1)
  const hasDatabase = env.some(({ name }) => name === 'DATABASE_URL')
  if (hasDatabase) {
    expect(strategy?.type).toBe('RollingUpdate')
    const budget = one('PodDisruptionBudget')
    expect(budget?.spec.selector).toEqual({ matchLabels: labels })
    expect(budget?.spec.minAvailable).toBeLessThan(replicas)
  } else {
    // One server holds an SQLite file: a second one would wait for it for ever.
    expect([replicas, strategy?.type]).toEqual([1, 'Recreate'])
  }
})

test('Traefik: the router and its service fit together', () => {
  const { http } = Bun.YAML.parse(read('deploy/traefik.yaml')) as {
    http: {
      routers: Record<string, { rule: string; service: string; middlewares: string[]; tls: object }>
      middlewares: Record<string, { headers: { stsSeconds: number } }>
      services: Record<string, { loadBalancer: { servers: { url: string }[]; healthCheck: { path: string } } }>
    }
  }
  const [router] = Object.values(http.routers)
  expect(router?.rule).toBe('Host(`polls.example.com`)')
  const { servers, healthCheck } = http.services[router?.service ?? '']?.loadBalancer ?? {}
  expect(servers).toEqual([{ url: `http://127.0.0.1:${settings.port.fallback}` }])
  expect(healthCheck?.path).toBe('/readyz')
  expect(router?.middlewares.map((name) => http.middlewares[name]?.headers)).toEqual([{ stsSeconds: 31_536_000 }])
})

test('the unit of systemd fits its settings: each is known, and each folder that they name can be written', () => {
  const unit = read('deploy/tossup.service')
  const inUnit = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name)
  const lines = [...read('deploy/tossup.env').matchAll(/^#?([A-Z_]+)=(.*)$/gm)]
  const values = new Map(lines.map(([, name = '', value = '']) => [name, value]))
  expect(unknownOf([...inUnit, ...values.keys()])).toEqual([])
  expect([...values.keys()]).toEqual(expect.arrayContaining(['PUBLIC_URL', 'DATA_DIR', 'BACKUP_URL', 'METRICS_PORT']))
  expect(unit).toContain('\nEnvironmentFile=/etc/tossup.env\n')
  expect(unit).toContain('\nProtectSystem=strict\n')
  expect(values.get('DATA_DIR')).toBe(`/var/lib/${/^StateDirectory=(.+)$/m.exec(unit)?.[1]}`)
  expect(unit).toContain(`\nReadWritePaths=-${values.get('BACKUP_URL')}\n`)
})
