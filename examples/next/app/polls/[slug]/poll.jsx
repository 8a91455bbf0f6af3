'use client'

import { Poll, TossupProvider } from '@tossup/sdk/react'
import { useState } from 'react'

export function PollOnPage({ url, poll }) {
  const [thanks, setThanks] = useState('')
  return (
    <TossupProvider url={url}>
      <Poll
        poll={poll.shortId}
        initialPoll={poll}
        onVoted={({ tallies }) => setThanks(`Thank you! ${tallies.total} people have voted.`)}
      />
      <p role="status">{thanks}</p>
    </TossupProvider>
  )
}
