'use client'

import { Poll, TossupProvider } from '@tossup/sdk/react'
import { Visitor } from '@tossup/sdk/visitor'
import { useState } from 'react'

export function PollOnPage({ url, poll }) {
  const [visitor] = useState(() => new Visitor({ url }))
  const [thanks, setThanks] = useState('')
  return (
    <TossupProvider visitor={visitor}>
      <Poll
        poll={poll.shortId}
        initialPoll={poll}
        onVoted={({ tallies }) => setThanks(`Thank you! ${tallies.total} people have voted.`)}
      />
      <p role="status">{thanks}</p>
    </TossupProvider>
  )
}
