// SPDX-License-Identifier: MIT
//
// More made-up lines of logs, which were written after the rules of scrub_leaks_test.cpp passed: a
// line, '|', and the words that must not be in the scrubbed line.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "host/scrubbing.h"

namespace manactl::host::scrub_more_leaks_test {
namespace {

constexpr std::string_view kLines = R"log(
[azureuser01@dbprod-3 log]$ tail -f messages|azureuser01 dbprod-3
moritz@lab9 [ /home/moritz ]# exit|moritz lab9
[moritz@lab9.fra.example.net ~]$ sudo su -|moritz lab9 fra.example
lab9 ~ % ls|lab9
Thu 2025-03-06 09:01:02 UTC lab9 systemd[1]: Starting x|lab9
Mar 06 09:01:02 lab9 kernel: mana: foo|lab9
2025-03-06T09:01:02.123456+01:00 lab9 NetworkManager[812]: <info> hostname: lab9|lab9
Machine ID: 0123456789abcdef0123456789abcdea|0123456789abcdef0123456789abcdea
machine-id=0f343b0931126a20f133d67c2b018a3b|0f343b0931126a20f133d67c2b018a3b
Connection to bastion9 closed.|bastion9
ssh: connect to host bastion9.corp port 22: No route to host|bastion9
debug1: Connecting to bastion9 [10.1.2.3] port 22.|bastion9
debug1: Authenticating to bastion9:22 as 'moritz'|bastion9 moritz
Last login: Thu Mar  6 09:00:00 2025 from bastion9|bastion9
moritz   ttyS0        Thu Mar  6 09:00   still logged in|moritz
moritz   pts/1    bastion9         09:00    3.00s  0.05s  0.00s w|moritz bastion9
type=USER_AUTH msg=audit(1.2:3): pid=7 uid=0 auid=4294967295 ses=1 msg='op=PAM:authentication grantors=? acct="moritz" exe="/usr/sbin/sshd" hostname=bastion9 addr=10.0.0.1'|moritz bastion9
sshd[99]: Failed password for invalid user moritz from 10.0.0.9 port 22 ssh2|moritz
sshd[99]: pam_sss(sshd:auth): received for user moritz: 7 (Authentication failure)|moritz
sudo[77]:   moritz : TTY=pts/0 ; PWD=/data/moritz ; USER=root ; COMMAND=/usr/bin/dpdk-testpmd|moritz
systemd[1]: Created slice User Slice of moritz.|moritz
su[9]: FAILED SU (to root) moritz on pts/1|moritz
polkitd[3]: Registered Authentication Agent for unix-session:2 (system bus name :1.2 [x], owner unix-user:moritz)|moritz
CROND[44]: (moritz) CMDOUT (ok)|moritz
runuser: pam_unix(runuser:session): session opened for user moritz(uid=1001) by (uid=0)|moritz
useradd[9]: new user: name=moritz, UID=1001, GID=1001, home=/home/moritz|moritz
usermod: change user 'moritz' password|moritz
drwxr-xr-x. 2 moritz labgroup 6 Mar  6 09:00 testpmd-logs|moritz labgroup
uid=1001(moritz) gid=1001(labgroup) groups=1001(labgroup),10(wheel)|moritz labgroup
FRALAB\moritz logged on|fralab moritz
user="FRALAB\\moritz"|fralab moritz
Kerberos principal moritz@FRALAB.EXAMPLE.COM|moritz fralab
HOME=/home/moritz LOGNAME=moritz USER=moritz|moritz
file:///home/moritz/x.pcap|moritz
filer7:/vol/labvol /mnt nfs4 rw,addr=10.0.0.7 0 0|filer7 labvol
mount.cifs //filer7/labvol /mnt -o user=moritz,pass=geheim9|filer7 labvol moritz geheim9
[ 12.3] NFS: state manager: lease expired failed on NFSv4 server filer7 with error 13|filer7
wget https://moritz:geheim9@files.fralab.com/x|moritz geheim9 fralab
curl -u moritz:geheim9 https://x.y|geheim9
curl -H "X-Api-Key: 9f8e7d6c5b4a39281706f5e4d3c2b1a0" https://x|9f8e7d6c
curl -H 'Authorization: Bearer ya29.a0AfH6SMBx' https://x|ya29.a0Af
{"access_token":"tok_live_12ab","expires_in":3599}|tok_live_12ab
"connectionString": "Server=tcp:frasql.database.windows.net,1433;Password=Gehe!m;User ID=moritz"|frasql Gehe!m moritz
DefaultEndpointsProtocol=https;AccountName=frastore;AccountKey=abcdEFGH1234abcdEFGH1234==;EndpointSuffix=core.windows.net|frastore abcdEFGH1234
SharedAccessSignature sr=x&sig=AbC%2bdEf%3d&se=1|AbC%2bdEf
https://frastore.blob.core.windows.net/logs/a?sp=r&st=1&sig=ZZtop12%2F|frastore ZZtop12
az login --service-principal -u 1c1b2d3e-0000-1111-2222-333344445555 -p Gehe1mnis --tenant fralab.onmicrosoft.com|1c1b2d3e fralab Gehe1mnis
az group show --name rg-fralab-prod|rg-fralab-prod
Id: /subscriptions/aaaabbbb-cccc-dddd-eeee-ffff00001111/resourceGroups/rg-fralab/providers/Microsoft.Compute/virtualMachines/lab9/extensions/ext1|aaaabbbb rg-fralab lab9
vaultUri: https://kv-fralab.vault.azure.net/|kv-fralab
docker login frareg.azurecr.io -u moritz --password-stdin|frareg
E0306 kubectl: dial tcp: lookup fraaks-abc.hcp.westeurope.azmk8s.io: no such host|fraaks
"subscriptionId": "aaaabbbb-cccc-dddd-eeee-ffff00001111", "vmId": "AAAABBBB-CCCC-DDDD-EEEE-FFFF00001111"|aaaabbbb
[Interface] PrivateKey=yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=|yAnz5TF
wg set wg0 peer xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg= endpoint 1.2.3.4:51820|xTIBA5r
DB_PASS=geheim|geheim
export SECRET_KEY_BASE=abcdef|abcdef
mysql -u moritz -pGeheim9 db|Geheim9
sshpass -p geheim9 ssh moritz@bastion9|geheim9 moritz bastion9
ansible_become_pass: geheim|geheim
passphrase "geheim9"|geheim9
password is geheim9|geheim9
token=eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJodHRwczovL21h.abc|eyJ0eXAi
PING bastion9.fralab.com (10.1.1.1) 56(84) bytes of data.|bastion9 fralab
From lab9 (10.0.0.4) icmp_seq=1 Destination Host Unreachable|lab9
[5] local 10.0.0.4 port 5201 connected to bastion9 port 44|bastion9
Static hostname: lab9.fralab.com|lab9 fralab
search fralab.com corp.fralab.com|fralab
root@prodvm-eu3:/var/log# cat syslog|prodvm-eu3
ubuntu@prodvm:~$ sudo -i|prodvm
[opc@prodvm ~]$ id|opc prodvm
prodvm login: gregor|prodvm gregor
2025-01-01T00:00:00.000000+00:00 prodvm sudo: gregor : user NOT in sudoers ; TTY=pts/0|prodvm gregor
Jan  1 00:00:00 prodvm sshd[1]: Accepted password for gregor from 203.0.113.9 port 5 ssh2|prodvm gregor
Jan  1 00:00:00 prodvm sshd[1]: Connection reset by authenticating user gregor 203.0.113.9 port 5 [preauth]|gregor
Jan  1 00:00:00 prodvm sshd[1]: error: maximum authentication attempts exceeded for gregor from 1.1.1.1|gregor
Jan  1 00:00:00 prodvm sshd[1]: User gregor from prodlb2 not allowed because not listed in AllowUsers|gregor prodlb2
Jan  1 00:00:00 prodvm sshd[1]: reverse mapping checking getaddrinfo for prodlb2.acme-corp.net [1.2.3.4] failed|prodlb2 acme-corp
Jan  1 00:00:00 prodvm dhclient[1]: DHCPACK of 10.0.0.4 from 168.63.129.16 (prodvm)|prodvm
Jan  1 00:00:00 prodvm cloud-init[7]: hostname set to prodvm by gregor|prodvm
Jan  1 00:00:00 prodvm chronyd[1]: Selected source 1.2.3.4 (ntp1.acme.io)|acme
Jan  1 00:00:00 prodvm rsyslogd: action 'x' resumed, server logs.acme.local|acme
systemd[1]: Set hostname to <prodvm>.|prodvm
systemd-hostnamed[3]: Hostname set to <prodvm> (static)|prodvm
gregor:$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7:19000::::::|gregor F5Jx5fEx
net ads join -U gregor%Gehe1m|gregor Gehe1m
kinit gregor@ACME.LOCAL|gregor acme
realm join --user=gregor acme.local|gregor acme
drwx------ 4 gregor gregor  4096 Jan  1 10:00 /home/gregor|gregor
gregor   pts/0        2025-01-01 00:00 (203.0.113.9)|gregor
gregor   2345  99.9  0.3 123456 7890 ?  Rl   10:00   1:00 ./testpmd|gregor
ID_SERIAL=abc; sas_token="sv=2020&sig=QWxhZGRpbg%3D%3D"|QWxhZGRpbg
SECRET: s3cr3t!|s3cr3t
"client_secret" : "abc~DEF.123"|abc~DEF
{'apiKey': 'AAAA-BBBB-1111'}|AAAA-BBBB
X-Auth-Token: gAAAAABexample123|gAAAAAB
x-ms-client-secret=foobarbaz|foobarbaz
set-cookie: session=a1b2c3d4e5f6a7b8c9d0; Path=/|a1b2c3d4e5
GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a|ghp_16C7
npm_config__authToken=deadbeef99|deadbeef99
//registry.example.org/:_authToken=npm_Abc123|npm_Abc123
jdbc:sqlserver://acmesql.database.windows.net:1433;user=gregor;password=P@ss,w0rd;|acmesql gregor P@ss
AZURE_CLIENT_SECRET=xyz~123|xyz~123
AZURE_STORAGE_KEY=Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4==|Zm9vYmFy
terraform: admin_password = "Tr0ub4dor&3"|Tr0ub4dor
htpasswd: gregor:$apr1$x1y2z3$Kd9fj2LsP0QmN1bV7cXz5.|gregor Kd9fj2
wpa_passphrase="correct horse battery"|correct horse battery
-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRHb3\n-----END EC PRIVATE KEY-----|MHcCAQEE
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDw4o6gJy8UtmIbkcpnkO3Kwc4qsEnSZp/TR gregor@prodvm|gregor prodvm AAAAB3Nza
acme.vault.azure.net/keys/wrapkey|wrapkey
https://management.azure.com/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/acme-rg/providers/Microsoft.Network/networkInterfaces/prodvm-nic/ipConfigurations/ipconfig1?api-version=2023|0b1f6471 acme-rg prodvm-nic
az network nic list -g acme-rg -o table|acme-rg
ResourceGroup : acme-rg|acme-rg
"resourceGroup": "acme-rg", "location": "westeurope"|acme-rg
"computerName": "prodvm"|prodvm
tenantId=72f988bf-86f1-41af-91ab-2d7cd011db47|72f988bf
https://acme.file.core.windows.net/share1|acme
az storage blob upload --account-name acmestore --account-key "abcd1234abcd1234=="|acmestore abcd1234
cluster: acme-aks-dns-1234.hcp.eastus.azmk8s.io|acme-aks
sip:gregor@acme.onmicrosoft.com|gregor acme
user@acme.onmicrosoft.com|acme
acmereg.azurecr.io/prod/app@sha256:abcdef|acmereg
System UUID: 0b1f6471-1bf0-4dda-aec3-cb9272f09590, Serial Number: 0000-0014-5432-1234-5678-9012-34|0b1f6471 0000-0014-5432
root=UUID=0b1f6471-1bf0-4dda-aec3-cb9272f09590 ro|0b1f6471
_BOOT_ID=6b5ac4bfd3d64bd8b7e5b5b0e3c1d2f3 _MACHINE_ID=7c6bd5cfe4e75ce9c8f6c6c1f4d2e3a4|6b5ac4bf 7c6bd5cf
$ ping -c 1 prodlb2|prodlb2
# ssh -p 2222 -l gregor prodlb2|gregor prodlb2
$ dig +short prodlb2.acme.io|acme
traceroute to prodlb2 (10.0.0.9), 30 hops max|prodlb2
; <<>> DiG 9.18 <<>> prodlb2.acme.com|acme
prodlb2.acme.com has address 10.0.0.9|acme prodlb2
10.0.0.9 prodlb2.acme.com prodlb2 # hosts|acme prodlb2
mount: /mnt: special device nfs.acme.com:/data does not exist|acme
//acmestore.file.core.windows.net/share1 /mnt cifs nofail,credentials=/etc/smbcredentials/acmestore.cred 0 0|acmestore
nfsvers=4.1 mount nas-4:/ifs/home|nas-4
nov. 21 10:00:00 prodvm sshd[7]: x|prodvm
févr. 03 10:00:00 prodvm kernel: x|prodvm
Mär 21 10:00:00 prodvm kernel: x|prodvm
août 03 10:00:00 prodvm systemd[1]: x|prodvm
prodvm sshd[7]: x|prodvm
prodvm-3 kernel: x|prodvm-3
jürgen@prodvm:~$ ls|jürgen prodvm
sshd[7]: Accepted password for éloïse from 10.0.0.9 port 22 ssh2|éloïse
/home/jürgen/x|jürgen
Nov 21 10:00:00 hôte7 sshd[7]: x|hôte7
useradd: user ‘gregor’ already exists|gregor
pam_rhosts: denied access to user `gregor' from `prodlb2'|gregor prodlb2
login[7]: FAILED LOGIN (1) on `tty1' FROM `prodlb2' FOR `gregor', Authentication failure|gregor prodlb2
      3 1001 gregor seat0 tty1|gregor
      4 1001 gregor -     1234 user    pts/0 no -|gregor
1001 gregor no     active|gregor
GET http://prodlb:8080/x|prodlb
proxy=https://prodlb/|prodlb
wss://prodlb/x|prodlb
https://acme7.blob.core.windows.net/payroll/a.vhd|acme7 payroll
pull acme7.azurecr.io/payroll/app7:1|acme7 payroll app7
Set hostname [prodvm]|prodvm
INFO Daemon Publishing hostname prodvm|prodvm
User gregor already exists, skip useradd|gregor
Create user account gregor|gregor
cloud-init[7]: Non-persistently setting the system hostname to prodvm|prodvm
util.py[DEBUG]: Setting hostname to prodvm (prodvm)|prodvm
distros[INFO]: Adding user gregor|gregor
ci-info: no authorized SSH keys fingerprints found for user gregor.|gregor
kubelet: "Successfully registered node" node="prodvm"|prodvm
kubelet: Error getting node: nodes "prodvm" not found|prodvm
kubelet --hostname-override=prodvm --node-name prodvm2|prodvm prodvm2
containerd: RunPodSandbox for &PodSandboxMetadata{Name:payroll-7d4,Uid:x,Namespace:acme,Attempt:0,}|payroll-7d4 acme
NetworkManager[8]: policy: set-hostname: set hostname to 'prodvm' (from DHCPv4)|prodvm
NetworkManager[8]: hostname: static hostname changed from "prodvm" to "prodvm2"|prodvm prodvm2
NetworkManager[8]: dhcp4 (eth0): option host_name            => 'prodvm'|prodvm
NetworkManager[8]: dhcp4 (eth0): option domain_name          => 'acmecorp'|acmecorp
chronyd[1]: Selected source prodntp|prodntp
chronyd[1]: Selected source 1.2.3.4 (prodntp)|prodntp
chronyd[1]: Could not resolve prodntp|prodntp
ovs-vsctl set Open_vSwitch . external_ids:system-id="prodvm"|prodvm
Chassis "prodvm"|prodvm
ovn-controller: Claiming lport payroll-nic for this chassis.|payroll-nic
EAL: dpdk-testpmd --file-prefix=acme7 -l 0-1|acme7
dpdk-testpmd --file-prefix payroll -l 0-1|payroll
iscsiadm: iqn.2003-01.org.linux-iscsi.prodvm.x8664:sn.d83c2|prodvm d83c2
- secretRef: payroll-key|payroll-key
)log";

TEST(ScrubbedLine, HidesNamesAndSecretsOfOtherPrograms) {
  std::size_t count = 0;
  for (const auto line : split(kLines, '\n')) {
    const auto bar = line.rfind('|');
    if (bar == std::string_view::npos) continue;
    ++count;
    const auto scrubbed = lower(scrub(std::string(line.substr(0, bar))));
    for (const auto word : words(line.substr(bar + 1))) {
      EXPECT_EQ(scrubbed.find(lower(word)), std::string::npos)
          << "leak of " << word << ": " << scrubbed;
    }
  }
  EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace manactl::host::scrub_more_leaks_test
