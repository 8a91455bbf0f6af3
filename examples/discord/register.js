// Tells Discord the command of the bot. Once is enough: Discord keeps it, and a second time changes nothing.
const {
  DISCORD_APPLICATION_ID: application,
  DISCORD_TOKEN: token,
  DISCORD_API = 'https://discord.com/api/v10',
} = process.env
if (!application || !token) throw new Error('Set DISCORD_APPLICATION_ID and DISCORD_TOKEN: see README.md')

const STRING = 3
const commands = [
  {
    name: 'poll',
    description: 'Posts a poll to vote on',
    options: [{ type: STRING, name: 'name', description: 'The slug or shortId of the poll', required: true }],
  },
]

const response = await fetch(`${DISCORD_API}/applications/${application}/commands`, {
  method: 'PUT',
  headers: { Authorization: `Bot ${token}`, 'Content-Type': 'application/json' },
  body: JSON.stringify(commands),
})
if (!response.ok) throw new Error(`Discord refused the command (${response.status}): ${await response.text()}`)
console.log('The command /poll is registered')
