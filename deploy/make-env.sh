#!/bin/sh
# Writes the settings of a host, with new secrets:
#   sh deploy/make-env.sh FILE [DOMAIN [GATEWAY_ROOT_URL [RELAY_URL]]]
# For a DOMAIN alone, the gateway and its relay are at gateway.DOMAIN and relay.DOMAIN, on the same machine.
set -eu
umask 077

file=${1:?Name the file to write: sh deploy/make-env.sh FILE [DOMAIN [GATEWAY_ROOT_URL [RELAY_URL]]]}
domain=${2:-localhost}
case $domain in
  localhost | localhost:*)
    kind=this-machine gateway=${3:-http://localhost:8080} relay=${4:-ws://localhost:7447}
    ;;
  *)
    kind=elsewhere
    if [ -z "${3:-}" ]; then kind=here; fi
    gateway=${3:-https://gateway.$domain} relay=${4:-}
    if [ $kind = here ]; then relay=${4:-wss://relay.$domain}; fi
    ;;
esac
if [ -e "$file" ]; then
  echo "$file exists. New secrets would end every connection, so nothing was written." >&2
  exit 1
fi

private=$(openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt)
public=$(printf '%s\n' "$private" | openssl ec -pubout 2>/dev/null)
database=$(openssl rand -hex 16)
# One line in single quotes, with \n for each line break.
quoted() { printf "'%s'" "$(printf '%s\n' "$1" | awk '{ printf "%s\\n", $0 }')"; }

while IFS= read -r line; do
  case $line in
    VASP_DOMAIN=*) line="VASP_DOMAIN=$domain" ;;
    NEXTAUTH_URL=*) line="NEXTAUTH_URL=https://$domain" ;;
    GATEWAY_ROOT_URL=*) line="GATEWAY_ROOT_URL=$gateway" ;;
    DATABASE_URL=*) line="DATABASE_URL=postgresql://vasp:$database@localhost:5432/vasp" ;;
    NEXTAUTH_SECRET=) line="$line$(openssl rand -base64 32)" ;;
    SANDBOX_TEAM_PASSWORD=) line="$line$(openssl rand -hex 8)" ;;
    JWT_PRIVATE_KEY=) line="$line$(quoted "$private")" ;;
    JWT_PUBLIC_KEY=) line="$line$(quoted "$public")" ;;
    *_KEY=) line="$line$(openssl rand -hex 32)" ;;
  esac
  printf '%s\n' "$line"
done <"$(dirname "$0")/vasp.env" >"$file"
{
  if [ -n "$relay" ]; then echo "GATEWAY_RELAY_URL=$relay"; fi
  # The public gateway processes one request at a time.
  if [ $kind = here ]; then echo "PAYMENT_WAIT_SECONDS=30"; fi
  if [ $kind = this-machine ]; then echo "SAMPLE_APP_URL=http://localhost:3200"; fi
  echo "# Read by compose.yaml."
  echo "POSTGRES_PASSWORD=$database"
  case $kind in
    here) echo "PUBLIC_GATEWAY=1" && echo "GATEWAY_SITE=gateway.$domain" && echo "RELAY_SITE=relay.$domain" ;;
    # Names of this machine, for which Caddy asks no authority.
    *) echo "PUBLIC_GATEWAY=0" && echo "GATEWAY_SITE=gateway.localhost" && echo "RELAY_SITE=relay.localhost" ;;
  esac
  if [ $kind = this-machine ]; then echo "COMPOSE_PROFILES=simulator"; fi
} >>"$file"
echo "Wrote $file. Keep it with your other secrets."
