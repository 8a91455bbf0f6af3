-- The form of the message that a webhook sends: `standard`, or that of a chat product (server/src/features/webhooks/sending/chat-messages.ts).
alter table webhooks add column format text not null default 'standard';
