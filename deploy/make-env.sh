#!/bin/sh
# Writes the settings of a host, with new secrets:
#   sh deploy/make-env.sh FILE [DOMAIN] [GATEWAY_ROOT_URL]
set -eu
umask 077

file=${1:?Name the file to write: sh deploy/make-env.sh FILE [DOMAIN] [GATEWAY_ROOT_URL]}
domain=${2:-localhost}
gateway=${3:-http://localhost:8080}
case $domain$# in
  localhost | localhost:*) ;;
  *2)
    echo "Name the root URL of the gateway too. With a public domain it begins with https://. Nothing was written." >&2
    exit 1
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
cat >>"$file" <<END
# Read by compose.yaml.
POSTGRES_PASSWORD=$database
END
case $domain in
  localhost | localhost:*)
    cat >>"$file" <<END
COMPOSE_PROFILES=simulator
GATEWAY_RELAY_URL=ws://localhost:7447
SAMPLE_APP_URL=http://localhost:3200
END
    ;;
esac
echo "Wrote $file. Keep it with your other secrets."
