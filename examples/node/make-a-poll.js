// Makes a poll, has three people vote on it, and prints who won.
// node make-a-poll.js https://polls.example.com tai_… secret
import { isTossupError, memoryStore, Tossup, Visitor } from '@tossup/sdk'

const [url, apiKeyId, apiKeySecret] = process.argv.slice(2)
const tossup = new Tossup({ url, auth: { apiKeyId, apiKeySecret, externalDeviceId: 'make-a-poll' } })

const poll = await tossup.createPoll({
  title: 'Where shall we eat?',
  optionA: { label: 'In the park' },
  optionB: { label: 'At the river' },
})
console.log(`${poll.title} ${poll.shareUrl}`)

// Each person is a device: on a server, nobody's browser keeps them apart.
const people = ['A', 'B', 'A'].map((option) => ({ option, visitor: new Visitor({ url, storage: memoryStore() }) }))
for (const { option, visitor } of people) await visitor.castVote(poll.slug, option)

try {
  await people[0].visitor.castVote(poll.slug, 'B')
} catch (error) {
  if (!isTossupError(error, 'VOTE_ALREADY_CAST')) throw error
  console.log(`A second vote is refused: the first was ${error.details.existingVote.option}`)
}

for await (const { position, option } of tossup.listVoters(poll.slug)) console.log(`vote ${position}: ${option}`)

const { tallies } = await tossup.getTallies(poll.slug)
console.log(`${tallies.optionA} to ${tallies.optionB}`)
await tossup.deletePoll(poll.slug)
await tossup.revokeTokens()
