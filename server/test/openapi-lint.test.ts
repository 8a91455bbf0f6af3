import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openapiFile } from './openapi-check.ts'

const text = readFileSync(openapiFile, 'utf8')

test("passes Redocly's recommended-strict", async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config })
  const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
  expect(found).toEqual([])
}, 120_000)
