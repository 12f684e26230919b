-- The public key of this node, by which peers know it and its sends. A server with another key does not start.
create table lightning_node.own_key (
  id         integer primary key,
  public_key text not null,
  since      timestamptz not null default now(),
  constraint own_key_one_row check (id = 1),
  constraint own_key_form check (public_key ~ '^0[23][0-9a-f]{64}$')
);

-- Books from before belong to the node that sent last. Without a send, the first start stores its key.
insert into lightning_node.own_key (id, public_key)
  select 1, payer from (select payer from lightning_node.sends order by send_id desc limit 1) latest
  where payer ~ '^0[23][0-9a-f]{64}$';
