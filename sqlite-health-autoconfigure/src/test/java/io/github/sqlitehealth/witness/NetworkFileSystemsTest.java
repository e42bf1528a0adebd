package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkFileSystemsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb3",
                "smbfs",
                "9p",
                "virtiofs",
                "vboxsf",
                "drvfs",
                "afs",
                "ceph",
                "glusterfs",
                "lustre",
                "beegfs",
                "gpfs",
                "fuse",
                "fuse.sshfs",
                "fuse.rclone",
                "fuse.s3fs",
                "fuse.gcsfuse",
                "fuse.glusterfs",
                "fuse.vmhgfs-fuse",
                "fuse.grpcfuse",
                "fuse.bindfs",
                "fuse.mergerfs",
                "fakeowner",
                "FUSE.SSHFS"
            })
    void remoteSharedOrUnknown(String type) {
        assertThat(NetworkFileSystems.isOne(type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ext4",
                "xfs",
                "btrfs",
                "zfs",
                "f2fs",
                "tmpfs",
                "ramfs",
                "overlay",
                "aufs",
                "fuseblk",
                "apfs",
                "NTFS",
                "ext3",
                "bcachefs",
                "fuse.fuse-overlayfs",
                "fuse.gocryptfs",
                "fuse.ntfs-3g",
                "nfsd",
                "squashfs",
                "",
                "fusectl"
            })
    void local(String type) {
        assertThat(NetworkFileSystems.isOne(type)).isFalse();
    }
}
