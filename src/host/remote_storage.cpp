// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

// File systems without addr= in their options. Their servers hand out further servers, whose
// addresses only the connections show.
struct MountRow {
  std::string_view type;
  std::vector<PortRange> ports;  // of all servers
};

const std::vector<MountRow>& mount_rows() {
  static const std::vector<MountRow> rows = {
      {"ceph", {{3300, 3300}, {6789, 6789}, {6800, 7568}}},  // docs.ceph.com, "Network Settings"
      {"lustre", {{988, 988}}},                              // doc.lustre.org, "accept_port"
      {"beegfs", {{8003, 8008}}},                            // doc.beegfs.io, "Network Tuning"
      {"gpfs", {{1191, 1191}}},                              // TCP port of mmfsd
      {"pvfs2", {{3334, 3334}}},                             // default of OrangeFS
      {"afs", {}},                                           // UDP
      {"wekafs", {}},                                        // UDP or DPDK
      {"9p", {{564, 564}}},                                  // if trans=tcp
  };
  return rows;
}

// Programs of FUSE mounts that need the network although their device does not name a server.
constexpr std::string_view kFuseOfServers[] = {
    "s3fs",
    "goofys",
    "mount-s3",
    "mountpoint-s3",
    "gcsfuse",
    "blobfuse",
    "rclone",
    "ceph-fuse",
    "juicefs",
    "davfs",
    "curlftpfs",
    "glusterfs",
    "sshfs",
    "nfs",
};

// Returns the IP address of "10.0.0.1", "10.0.0.1:6789", "[fd00::1]:6789", "root@10.0.0.1" or
// "10.0.0.1@tcp"; empty if it is a name.
std::string address_in(std::string_view text) {
  const auto at = text.find('@');
  if (at != std::string_view::npos) {
    const auto before = text.substr(0, at);
    text = parse_ip(before) ? before : text.substr(at + 1);
  }
  if (text.starts_with('[')) {
    text = text.substr(1, text.find(']') - 1);
  } else if (std::ranges::count(text, ':') == 1) {
    text = text.substr(0, text.find(':'));
  }
  return parse_ip(text) ? std::string(text) : std::string();
}

// A server on this machine may be a proxy, such as stunnel, which Azure Files uses for NFS with
// TLS. The address of the real server is then not known.
std::string remote_address(const std::string& server) {
  const auto address = parse_ip(server);
  return address && address->is_loopback() ? "" : server;
}

void add(std::vector<RemoteStorage>& found, std::string name, std::string_view server) {
  if (parse_ip(server)) found.push_back({std::move(name), remote_address(std::string(server))});
}

// Adds one entry for each server before ":/", and one without server if none has an address.
void add_servers(std::vector<RemoteStorage>& found,
                 const RemoteStorage& storage,
                 std::string_view device) {
  const auto end = std::min(device.rfind(":/"), device.size());
  std::string text(device.substr(0, end));
  std::ranges::replace(text, '/', ',');  // mon_addr= separates monitors by '/'
  bool is_known = false;
  for (const auto item : split(text, ',')) {
    const auto server = address_in(item);
    if (server.empty()) continue;
    is_known = true;
    found.push_back(storage);
    found.back().server = remote_address(server);
  }
  if (!is_known) found.push_back(storage);
}

bool is_fuse_of_server(std::string_view program, std::string_view device) {
  if (device.find(':') != std::string_view::npos) return true;
  return std::ranges::any_of(kFuseOfServers,
                             [&](auto known) { return program.starts_with(known); });
}

// Returns the value of the first of these options; empty if there is none.
std::string_view option(std::string_view options, std::string_view key) {
  for (const auto one : split(options, ',')) {
    if (one.starts_with(key)) return one.substr(key.size());
  }
  return {};
}

void add_mount(const std::vector<std::string_view>& fields, std::vector<RemoteStorage>& found) {
  constexpr std::string_view kFuse = "fuse";
  const auto device = fields[0], type = fields[2], options = fields[3];
  const auto name = fmt::format("{} mount at {}", printable(type), printable(fields[1]));
  if (const auto server = option(options, "addr="); !server.empty()) add(found, name, server);
  if (type == "9p" && option(options, "trans=") != "tcp") return;
  // "fuse.sshfs", or "fuse" with the program as the device: blobfuse2, mountpoint-s3.
  const bool is_fuse = type == kFuse || type.starts_with("fuse.");
  const auto program =
      type == kFuse ? device : type.substr(std::min(kFuse.size() + 1, type.size()));
  if (is_fuse && is_fuse_of_server(program, device)) {
    return add_servers(found, {.name = name, .server = {}}, device);
  }
  for (const auto& row : mount_rows()) {
    if (row.type != type) continue;
    const auto monitors = option(options, "mon_addr=");
    add_servers(found,
                {.name = name, .server = {}, .ports = row.ports},
                monitors.empty() ? device : monitors);
  }
}

Result<> add_mounts(const os::Files& files, std::vector<RemoteStorage>& found) {
  const auto text = files.read("proc/mounts");
  if (!text && text.error().sys == ENOENT) return {};  // a captured tree
  if (!text) return tl::unexpected<Error>(text.error());
  for (const auto line : split(*text, '\n')) {
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() >= 4) add_mount(fields, found);
  }
  return {};
}

std::vector<std::string> list(const os::Files& files, const std::string& folder) {
  return files.list(folder).value_or(std::vector<std::string>{});
}

void add_iscsi(const os::Files& files, std::vector<RemoteStorage>& found) {
  const std::string connections = "sys/class/iscsi_connection";
  for (const auto& name : list(files, connections)) {
    // After a redirection, `address` is the new server and `persistent_address` the original one.
    for (const char* attribute : {"address", "persistent_address"}) {
      const auto server = files.read(fmt::format("{}/{}/{}", connections, name, attribute));
      if (!server || !parse_ip(trim(*server))) continue;
      add(found, "iSCSI session", trim(*server));
      break;
    }
  }
}

// nvme_sysfs_show_address of the kernel: "traddr=10.0.0.5,trsvcid=4420,src_addr=10.0.0.4".
void add_nvme(const os::Files& files, std::vector<RemoteStorage>& found) {
  const std::string controllers = "sys/class/nvme";
  for (const auto& name : list(files, controllers)) {
    const auto folder = fmt::format("{}/{}/", controllers, name);
    const auto transport = files.read(folder + "transport");
    if (!transport || (*transport != "tcp" && *transport != "rdma")) continue;
    const auto address = files.read(folder + "address").value_or("");
    RemoteStorage storage{.name = fmt::format("NVMe/{} disk {}", printable(*transport), name),
                          .server = remote_address(address_in(option(address, "traddr="))),
                          .local = address_in(option(address, "src_addr="))};
    found.push_back(std::move(storage));
  }
}

// client_addr of a Ceph block device: "10.0.0.4:0/3214" (Documentation/ABI/testing/sysfs-bus-rbd).
void add_rbd(const os::Files& files, std::vector<RemoteStorage>& found) {
  const std::string devices = "sys/bus/rbd/devices";
  for (const auto& id : list(files, devices)) {
    const auto client = files.read(fmt::format("{}/{}/client_addr", devices, id)).value_or("");
    found.push_back({.name = "Ceph disk rbd" + id,
                     .server = {},
                     .local = address_in(client.substr(0, client.find('/'))),
                     .ports = mount_rows().front().ports});
  }
}

// Block devices whose servers sysfs does not show. The file exists only while one is connected.
struct DiskRow {
  std::string_view prefix;
  std::string_view file;
  std::vector<PortRange> ports;
};

void add_disks(const os::Files& files, std::vector<RemoteStorage>& found) {
  static const std::vector<DiskRow> rows = {
      {"nbd", "pid", {{10809, 10809}}},  // nbd-client(8)
      {"drbd", "size", {{7788, 7799}}},  // drbd.conf(5) uses these ports by convention
  };
  const std::string disks = "sys/block";
  for (const auto& name : list(files, disks)) {
    for (const auto& row : rows) {
      if (!name.starts_with(row.prefix)) continue;
      const auto value = files.read(fmt::format("{}/{}/{}", disks, name, row.file));
      if (!value || trim(*value) == "0") continue;
      found.push_back({.name = "network disk " + name, .server = {}, .ports = row.ports});
    }
  }
}

}  // namespace

Result<std::vector<RemoteStorage>> remote_storage(const os::Files& files) {
  std::vector<RemoteStorage> found;
  const auto mounts = add_mounts(files, found);
  if (!mounts) return tl::unexpected<Error>(mounts.error());
  add_iscsi(files, found);
  add_nvme(files, found);
  add_rbd(files, found);
  add_disks(files, found);
  return found;
}

}  // namespace manactl::host
