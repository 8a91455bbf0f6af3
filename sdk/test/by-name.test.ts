import { expect, test } from 'bun:test'
import * as sdk from '@tossup/sdk'
import { Poll } from '@tossup/sdk/react'
import { verifyLog } from '@tossup/sdk/verify'
import { Visitor } from '@tossup/sdk/visitor'
import { VoteQueue } from '@tossup/sdk/vote-queue'
import { verifyWebhook } from '@tossup/sdk/webhooks'
import { Poll as PollOfSource } from '../src/react/index.ts'
import { Tossup } from '../src/tossup.ts'
import { verifyLog as verifyLogOfSource } from '../src/verify/index.ts'

test('within the repository the package names resolve to its sources, without a build', () => {
  expect(sdk.Tossup).toBe(Tossup)
  expect([sdk.Visitor, sdk.VoteQueue, sdk.verifyWebhook]).toEqual([Visitor, VoteQueue, verifyWebhook])
  expect(verifyLog).toBe(verifyLogOfSource)
  expect(Poll).toBe(PollOfSource)
})
